public let name = "the client's Authorization"
