import JOSE
import PureCrypto

/// Challenges that show by themselves that this server has made them, for one browser and purpose and for five minutes:
/// a page that is only looked at leaves nothing behind. Each is used once.
struct PasskeyChallenges: Sendable {
  let code: HMACSHA256
  let records: any RecordStore
  let clock: WallClock
  static let lifetime: Int64 = 300

  /// A challenge of 128 random bits.
  ///
  /// - Parameter purpose: what it is for, and whom.
  func make(for purpose: String) -> String {
    let end = Int64(clock.now.wholeSeconds) + Self.lifetime
    let body = "\(RandomText.make(byteCount: 16)).\(end)"
    return "\(body).\(tag(body, purpose))"
  }

  /// Whether an authenticator has signed one that was made for this; it is used up by that.
  ///
  /// - Parameter text: as browsers write it, in base64url.
  func use(_ text: String, for purpose: String) async throws -> Bool {
    guard text.utf8.count <= 400, let octets = try? Base64URL.decode(text),
      let parts = String(validating: octets, as: UTF8.self)?.split(separator: ".", omittingEmptySubsequences: false),
      parts.count == 3, let end = Double(parts[1]).flatMap({ NumericDate(secondsSince1970: $0) }),
      ConstantTime.equal(tag("\(parts[0]).\(parts[1])", purpose).utf8, parts[2].utf8), end > clock.now,
      let kind = StoredRecord.Kind(application: "passkey-challenge")
    else { return false }
    // It bears the purpose under its tag, so its random part alone names it.
    let used = StoredRecord(
      kind: kind, key: Array(parts[0].utf8), createdAt: clock.now, expiresAt: end, document: [], attempt: [])
    return try await records.commit([.insert(used)]) == .done
  }

  private func tag(_ body: String, _ purpose: String) -> String { code.text(of: "passkey \(purpose) \(body)") }
}
