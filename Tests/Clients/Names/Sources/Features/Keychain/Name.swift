package let name = "the client's Keychain"
