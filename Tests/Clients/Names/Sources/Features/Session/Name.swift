package let name = "the client's Session"
