public let name = "the client's Crypto"
