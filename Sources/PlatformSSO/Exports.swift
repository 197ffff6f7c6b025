// Requests and responses are HTTP values, so whoever imports PlatformSSO can name them.
@_exported import JOSEHTTP
