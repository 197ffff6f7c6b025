package let name = "the client's PlatformSSO"
