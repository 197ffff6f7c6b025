package let name = "TestSupport"
