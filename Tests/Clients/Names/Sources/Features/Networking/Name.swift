package let name = "the client's Networking"
