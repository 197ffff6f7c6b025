public let name = "the client's Tokens"
