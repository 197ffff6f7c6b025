public let name = "the client's Session"
