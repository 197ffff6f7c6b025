package let name = "the client's StoreConformance"
