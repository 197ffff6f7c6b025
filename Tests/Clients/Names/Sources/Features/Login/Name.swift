public let name = "the client's Login"
