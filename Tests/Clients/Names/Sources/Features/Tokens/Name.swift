package let name = "the client's Tokens"
