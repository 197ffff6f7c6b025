import PureCrypto
import StrictJSON

/// One claim that its holder may show or keep: `[salt, name, value]` of a member, `[salt, value]` of an element.
///
/// Source: RFC 9901 §4.2.
struct Disclosure: Sendable {
  /// As it was received or made: base64url of the JSON text, which is what the digest is of.
  let text: String
  /// Nil for an element of an array.
  let name: String?
  let value: JSONValue

  /// Reads a disclosure.
  ///
  /// - Throws: ``ErrorCode/malformed``.
  init(parsing text: String, limits: Limits) throws(JOSEError) {
    guard text.utf8.count <= Base64URL.characterLimit(limits.disclosureByteCount) else {
      throw JOSEError(.limitExceeded, "a disclosure is too long", name: "disclosureByteCount")
    }
    guard let octets = try? Base64URL.decode(text),
      let elements = try? JSONValue(parsing: octets, limits: limits.claimsJSON).arrayValue,
      elements.first?.stringValue != nil
    else { throw Self.malformed }
    switch elements.count {
    case 2: (name, value) = (nil, elements[1])
    case 3:
      guard let name = elements[1].stringValue else { throw Self.malformed }
      guard !SDJWT.reservedNames.contains(name) else {
        throw JOSEError(.malformed, "a disclosure has a name that belongs to the format", name: "disclosures")
      }
      (self.name, value) = (name, elements[2])
    default: throw Self.malformed
    }
    self.text = text
  }

  /// Makes one with a fresh salt of 128 bits.
  init(name: String?, value: JSONValue) {
    let salt = JSONValue.string(Base64URL.encode(SystemRandom.bytes(count: 16)))
    let elements = [salt] + (name.map { [JSONValue.string($0)] } ?? []) + [value]
    (text, self.name, self.value) = (Base64URL.encode(JSONValue.array(elements).serialized()), name, value)
  }

  /// base64url of the hash of the text, which is ASCII.
  func digest(_ hash: ThumbprintHash) -> WireName { WireName(hash.digest(of: text)) }

  private static var malformed: JOSEError {
    JOSEError(
      .malformed, "a disclosure is base64url of a JSON array: [salt, name, value] or [salt, value]", name: "disclosures"
    )
  }
}

extension ThumbprintHash {
  /// base64url of the hash of a text.
  func digest(of text: String) -> String {
    let octets = Array(text.utf8)
    return switch self {
    case .sha256: Base64URL.encode(SHA2.SHA256.hash(octets))
    case .sha384: Base64URL.encode(SHA2.SHA384.hash(octets))
    case .sha512: Base64URL.encode(SHA2.SHA512.hash(octets))
    }
  }

  /// Octets of a digest.
  var digestByteCount: Int {
    switch self {
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// The hash that `_sd_alg` names: SHA-256 if it is absent.
  ///
  /// - Throws: ``ErrorCode/claimInvalid`` if it is no string, ``ErrorCode/algorithmNotAllowed`` for another one.
  static func named(in payload: JSONObject) throws(JOSEError) -> ThumbprintHash {
    guard let text = try payload.string(ifPresent: "_sd_alg", orThrow: .claimInvalid) else { return .sha256 }
    let name = WireName(text)
    guard let hash = allCases.first(where: { name == $0.name }) else {
      throw JOSEError(
        .algorithmNotAllowed, "disclosures are hashed by sha-256, sha-384 or sha-512", name: "_sd_alg")
    }
    return hash
  }
}
