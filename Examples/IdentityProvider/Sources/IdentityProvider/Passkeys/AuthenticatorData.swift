import PureCrypto

/// An authenticator's data about itself and a key.
///
/// Source: Web Authentication §6.1.
struct AuthenticatorData: Sendable {
  /// A new key.
  struct Credential: Sendable {
    let authenticatorModel: [UInt8]
    let id: [UInt8]
    let key: P256VerificationKey
  }

  /// SHA-256 of the name that the key is for.
  let nameHash: [UInt8]
  let userWasPresent: Bool
  let userWasVerified: Bool
  let isBackupEligible: Bool
  let isBackedUp: Bool
  let signCount: UInt32
  let credential: Credential?

  init(parsing octets: [UInt8]) throws(PasskeyRefusal) {
    guard octets.count >= 37, octets.count <= 4096 else { throw .malformed }
    nameHash = Array(octets[0..<32])
    let flags = octets[32]
    (userWasPresent, userWasVerified) = (flags & 0x01 != 0, flags & 0x04 != 0)
    (isBackupEligible, isBackedUp) = (flags & 0x08 != 0, flags & 0x10 != 0)
    signCount = octets[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    var rest = octets[37...]
    if flags & 0x40 != 0 {
      guard rest.count >= 18 else { throw .malformed }
      let model = Array(rest.prefix(16))
      let length = rest.dropFirst(16).prefix(2).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(18)
      guard (1...1023).contains(length), rest.count >= length else { throw .malformed }
      let id = Array(rest.prefix(length))
      rest = rest.dropFirst(length)
      credential = Credential(authenticatorModel: model, id: id, key: try Self.key(from: &rest))
    } else {
      credential = nil
    }
    if flags & 0x80 != 0 {
      guard let value = try? CBORValue.read(from: &rest), case .map = value else { throw .malformed }
    }
    guard rest.isEmpty else { throw .malformed }
  }

  /// A P-256 key, for ES256 only.
  ///
  /// Source: RFC 9053 §7.1.1.
  private static func key(from octets: inout ArraySlice<UInt8>) throws(PasskeyRefusal) -> P256VerificationKey {
    guard let value = try? CBORValue.read(from: &octets) else { throw .malformed }
    // Parsing checks that the point is on the curve.
    guard value[.integer(1)] == .integer(2), value[.integer(3)] == .integer(-7), value[.integer(-1)] == .integer(1),
      case .octets(let x)? = value[.integer(-2)], case .octets(let y)? = value[.integer(-3)],
      let key = try? P256VerificationKey(x: x, y: y)
    else { throw .keyUnsuitable }
    return key
  }
}
