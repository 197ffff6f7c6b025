public let name = "the client's SignInWithApple"
