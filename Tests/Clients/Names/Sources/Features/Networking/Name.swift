public let name = "the client's Networking"
