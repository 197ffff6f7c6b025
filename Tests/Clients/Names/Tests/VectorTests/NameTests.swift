import TestSupport
import Testing

@testable import VectorRunner

@Test func namesAreTheClients() {
  #expect(VectorRunner.name == "VectorRunner" && TestSupport.name == "TestSupport")
}
