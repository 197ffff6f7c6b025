package let name = "the client's NativeSSO"
