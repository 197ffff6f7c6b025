package let name = "HTTPValues"
