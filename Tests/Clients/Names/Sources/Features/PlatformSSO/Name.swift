public let name = "the client's PlatformSSO"
