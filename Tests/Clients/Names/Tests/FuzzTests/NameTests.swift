import TestSupport
import Testing

@testable import FuzzTargets

@Test func namesAreTheClients() {
  #expect(FuzzTargets.name == "FuzzTargets" && TestSupport.name == "TestSupport")
}
