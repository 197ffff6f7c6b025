package let name = "the client's Login"
