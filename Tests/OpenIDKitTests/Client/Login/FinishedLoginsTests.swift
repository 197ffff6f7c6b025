import JOSE
import Testing

@testable import OpenIDKit

@Suite("Finished logins") struct FinishedLoginsTests {
  private static let now = NumericDate(1_760_000_000)
  private static let end = now.advanced(by: 600)

  @Test func `each of many logins at once is finished once`() {
    let finished = FinishedLogins()
    for round in [true, false] {
      for number in 0..<5000 { #expect(finished.claim("\(number)", until: Self.end, now: Self.now) == round) }
    }
    #expect(finished.count == 5000)
  }

  @Test func `expired entries of finished logins are removed`() {
    let finished = FinishedLogins()
    for number in 0..<5000 { _ = finished.claim("\(number)", until: Self.end, now: Self.now) }
    for number in 0..<5000 { _ = finished.claim("later \(number)", until: Self.end.advanced(by: 600), now: Self.end) }
    #expect(finished.count < 8000)
    #expect(!finished.claim("later 0", until: Self.end.advanced(by: 600), now: Self.end))
  }
}
