// Requests and responses are HTTP values, and unlock keys and secrets are SecretBytes, so a file that imports
// PlatformSSOKit can name them.
@_exported import struct JOSE.HTTPHeaderFields
@_exported import struct JOSE.HTTPRequestValue
@_exported import struct JOSE.HTTPResponseValue
@_exported import struct PureCrypto.SecretBytes
