package let name = "the client's OAuth"
