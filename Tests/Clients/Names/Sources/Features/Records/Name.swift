package let name = "the client's Records"
