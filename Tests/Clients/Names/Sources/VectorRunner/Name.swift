package let name = "VectorRunner"
