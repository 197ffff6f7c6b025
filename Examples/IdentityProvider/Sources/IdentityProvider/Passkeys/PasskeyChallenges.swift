import JOSE
import PureCrypto

/// Authenticated challenges of this server, for one browser and purpose, valid for five minutes. Showing a page stores
/// nothing; only a used challenge is stored, so that it is used once.
struct PasskeyChallenges: Sendable {
  let code: HMACSHA256
  let records: any RecordStore
  let clock: WallClock
  static let lifetime: Int64 = 300

  /// A challenge of 128 random bits.
  ///
  /// - Parameter purpose: its use, and the browser or user.
  func make(for purpose: String) -> String {
    let end = Int64(clock.now.wholeSeconds) + Self.lifetime
    let body = "\(RandomText.make(byteCount: 16)).\(end)"
    return "\(body).\(tag(body, purpose))"
  }

  /// Whether a challenge was made for this purpose and not used before. The check uses it up.
  ///
  /// - Parameter text: the challenge as browsers write it, in base64url.
  func use(_ text: String, for purpose: String) async throws -> Bool {
    guard text.utf8.count <= 400, let octets = try? Base64URL.decode(text),
      let parts = String(validating: octets, as: UTF8.self)?.split(separator: ".", omittingEmptySubsequences: false),
      parts.count == 3, let end = Double(parts[1]).flatMap({ NumericDate(secondsSince1970: $0) }),
      ConstantTime.equal(tag("\(parts[0]).\(parts[1])", purpose).utf8, parts[2].utf8), end > clock.now,
      let kind = StoredRecord.Kind(application: "passkey-challenge")
    else { return false }
    // The tag covers the purpose, so the random part alone identifies the challenge.
    let used = StoredRecord(
      kind: kind, key: Array(parts[0].utf8), createdAt: clock.now, expiresAt: end, document: [], attempt: [])
    return try await records.commit([.insert(used)]) == .done
  }

  private func tag(_ body: String, _ purpose: String) -> String { code.text(of: "passkey \(purpose) \(body)") }
}
