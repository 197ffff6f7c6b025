public let name = "the client's JSON"
