package let name = "the client's Crypto"
