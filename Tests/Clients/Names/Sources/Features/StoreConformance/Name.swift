public let name = "the client's StoreConformance"
