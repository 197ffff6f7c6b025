import IdentityProvider

/// What the provider's pages show of a device. PlatformSSO has a type of the same name.
package typealias ProviderDevice = Device
