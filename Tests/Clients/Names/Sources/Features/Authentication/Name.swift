public let name = "the client's Authentication"
