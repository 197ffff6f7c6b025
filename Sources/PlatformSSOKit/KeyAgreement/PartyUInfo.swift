/// Who made the ephemeral key: `lp("APPLE") ‖ lp(04 ‖ X ‖ Y)`, 78 octets, in capitals.
///
/// Devices and identity providers make it alike. It travels as `apu`.
/// Source: Apple, Creating a JSON Web Encryption (JWE) login response.
public struct PartyUInfo: Hashable, Sendable {
  /// The octets that enter the key derivation.
  public let octets: [UInt8]

  /// The party info of an ephemeral public key given as 65 octets `04 ‖ X ‖ Y`.
  public init(ephemeralKeyX963Representation key: [UInt8]) {
    octets = LengthPrefixedFields.encode([Self.prefix, key])
  }

  /// Requires that received octets are the party info of an ephemeral key.
  ///
  /// - Throws: `ErrorCode.partyInfoMalformed`, `ErrorCode.partyInfoPrefixInvalid`,
  ///   `ErrorCode.partyInfoKeyMismatch`.
  static func check(_ octets: [UInt8], ephemeralKeyX963Representation key: [UInt8]) throws(PlatformSSOError) {
    guard let fields = LengthPrefixedFields.decode(octets, limit: 2), fields.count == 2 else {
      throw PlatformSSOError(.partyInfoMalformed, "not two length-prefixed fields", name: "apu")
    }
    guard fields[0] == prefix else {
      throw PlatformSSOError(.partyInfoPrefixInvalid, "the first field is not APPLE", name: "apu")
    }
    guard fields[1] == key else {
      throw PlatformSSOError(.partyInfoKeyMismatch, "the key is not the ephemeral one", name: "apu")
    }
  }

  private static let prefix = Array("APPLE".utf8)
}
