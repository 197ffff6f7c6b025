import JOSE
import PureCrypto
import StrictJSON

/// The text of refresh tokens: `rt1.<family>.<generation>.<MAC>`.
///
/// The MAC is HMAC-SHA-256 over `"rt1" ‖ 00 ‖ family (16 octets) ‖ generation (8 octets, big-endian)`. A token
/// thus leads to its family without an index, any ancestor is recognised without its row being kept, and the successor
/// can be made again for a client that lost it. The store holds no token at all: its reader can present nothing.
public struct RefreshTokenFormat: Sendable {
  /// What a token says.
  package struct Parsed: Sendable, Hashable {
    package var family: RefreshTokenFamily.ID
    package var generation: UInt64
  }

  /// The key of new tokens, and then those that older ones may have.
  private let keys: [HMACSHA256]

  /// A format with a secret key of 32 octets or more, the same on all machines of one provider.
  ///
  /// To change the key, first let every machine accept the new one as `previousKeys`; then make it the `key` and keep
  /// the old one among `previousKeys` until the families have rotated or ended.
  /// - Parameters:
  ///   - key: makes tokens. Secret.
  ///   - previousKeys: tokens that were made with one of these are accepted too. Secret.
  /// - Throws: `ErrorCode.settingInvalid` for a shorter key.
  public init(key: some Collection<UInt8>, previousKeys: [[UInt8]] = []) throws(OpenIDError) {
    guard let first = try? HMACSHA256(key: key), let previous = try? previousKeys.map({ try HMACSHA256(key: $0) })
    else {
      throw OpenIDError(.settingInvalid, "the key has less than 32 octets", name: "key")
    }
    keys = [first] + previous
  }

  /// The token of a generation.
  package func token(of family: RefreshTokenFamily.ID, generation: UInt64) -> String {
    let mac = authenticated(family, generation, keys[0]).finalize()
    return "rt1.\(Base64URL.encode(family.octets)).\(generation).\(Base64URL.encode(mac))"
  }

  /// What a token says, or nil if it is not one of ours.
  ///
  /// Timing: the MAC is compared in constant time.
  package func parse(_ token: String) -> Parsed? {
    guard token.utf8.count <= 128 else { return nil }
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].elementsEqual("rt1".utf8), let octets = try? Base64URL.decode(utf8: parts[1]),
      let family = RefreshTokenFamily.ID(octets: octets), let mac = try? Base64URL.decode(utf8: parts[3]),
      let generation = Self.number(parts[2])
    else { return nil }
    guard keys.contains(where: { authenticated(family, generation, $0).isValid(mac) }) else { return nil }
    return Parsed(family: family, generation: generation)
  }

  private func authenticated(
    _ family: RefreshTokenFamily.ID, _ generation: UInt64, _ key: HMACSHA256
  ) -> HMACSHA256 {
    var message = Array("rt1\0".utf8) + family.octets
    for shift in stride(from: 56, through: 0, by: -8) {
      message.append(UInt8(truncatingIfNeeded: generation &>> shift))
    }
    var mac = key
    mac.update(message)
    return mac
  }

  /// A decimal number in its one canonical form.
  private static func number(_ text: Substring.UTF8View) -> UInt64? {
    guard let first = text.first, first != UInt8(ascii: "0"), text.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return UInt64(String(Substring(text)))
  }
}

extension RefreshTokenFormat: Redacted {}
