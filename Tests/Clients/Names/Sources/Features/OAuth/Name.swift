public let name = "the client's OAuth"
