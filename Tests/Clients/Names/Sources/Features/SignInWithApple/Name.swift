package let name = "the client's SignInWithApple"
