public let name = "the client's OpenID"
