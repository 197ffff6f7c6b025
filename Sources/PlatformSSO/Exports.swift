// Requests and responses are HTTP values, and unlock keys and secrets are SecretBytes, so whoever imports PlatformSSO can name them.
@_exported import JOSEHTTP
@_exported import struct PureCrypto.SecretBytes
