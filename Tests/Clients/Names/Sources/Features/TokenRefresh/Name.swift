package let name = "the client's TokenRefresh"
