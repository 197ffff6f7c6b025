public let name = "the client's AppleSignIn"
