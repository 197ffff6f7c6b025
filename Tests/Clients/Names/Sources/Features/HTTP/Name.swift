public let name = "the client's HTTP"
