package let name = "the client's Authorization"
