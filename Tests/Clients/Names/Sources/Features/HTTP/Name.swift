package let name = "the client's HTTP"
