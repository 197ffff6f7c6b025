import IdentityProvider

/// What the provider's pages show of a device. PlatformSSOKit has a type of the same name.
package typealias ProviderDevice = Device
