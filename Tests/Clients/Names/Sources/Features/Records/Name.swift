public let name = "the client's Records"
