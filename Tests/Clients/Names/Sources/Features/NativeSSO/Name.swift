public let name = "the client's NativeSSO"
