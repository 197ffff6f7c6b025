import JOSE
import StrictJSON
import Testing
import OpenIDKit

/// What LIMITS.md says of token refresh.
@Suite("Token refresh: limits, at the edge and one past it")
struct LimitTests {
  private func isRead(_ text: String) -> Bool {
    let response = HTTPResponseValue(status: 200, body: Array(text.utf8))
    if case .tokens = RefreshOutcome(of: response) { return true }
    return false
  }

  @Test("an answer's octets", arguments: [(256 * 1024, true), (256 * 1024 + 1, false)])
  func octets(count: Int, isAccepted: Bool) {
    let start = #"{"access_token":"a","token_type":"Bearer","x":""#
    #expect(isRead(start + String(repeating: "a", count: count - start.utf8.count - 2) + "\"}") == isAccepted)
  }

  @Test("an answer's depth", arguments: [(16, true), (17, false)])
  func depth(depth: Int, isAccepted: Bool) {
    let nested = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
    #expect(isRead(#"{"access_token":"a","token_type":"Bearer","x":"# + nested + "}") == isAccepted)
  }

  @Test("an answer's members", arguments: [(256, true), (257, false)])
  func members(count: Int, isAccepted: Bool) {
    let further = (2..<count).map { ",\"m\($0)\":0" }.joined()
    #expect(isRead(#"{"access_token":"a","token_type":"Bearer""# + further + "}") == isAccepted)
  }
}
