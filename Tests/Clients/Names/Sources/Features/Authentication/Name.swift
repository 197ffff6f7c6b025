package let name = "the client's Authentication"
