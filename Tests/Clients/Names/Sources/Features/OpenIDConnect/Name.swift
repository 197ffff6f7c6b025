package let name = "the client's OpenIDConnect"
