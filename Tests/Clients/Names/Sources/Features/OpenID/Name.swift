package let name = "the client's OpenID"
