public let name = "the client's TokenRefresh"
