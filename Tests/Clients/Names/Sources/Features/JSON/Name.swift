package let name = "the client's JSON"
