package let name = "the client's AppleSignIn"
