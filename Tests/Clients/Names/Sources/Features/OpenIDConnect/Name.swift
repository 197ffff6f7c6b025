public let name = "the client's OpenIDConnect"
