public let name = "the client's Keychain"
