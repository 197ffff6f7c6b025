import JOSE

/// Who made the ephemeral key: `lp("APPLE") ‖ lp(04 ‖ X ‖ Y)`, 78 octets, in capitals.
///
/// Devices and identity providers make it alike. It travels as `apu`.
/// Source: Apple, Creating a JSON Web Encryption (JWE) login response.
package enum PartyUInfo {
  /// The octets that enter the key derivation, for an ephemeral public key given as 65 octets `04 ‖ X ‖ Y`.
  package static func octets(ephemeralKeyX963Representation key: [UInt8]) -> [UInt8] {
    LengthPrefixedFields.encode([prefix, key])
  }

  /// Requires that received octets are the party info of an ephemeral key.
  static func check(_ octets: [UInt8], ephemeralKeyX963Representation key: [UInt8]) throws(JOSEError) {
    guard let fields = LengthPrefixedFields.decode(octets, limit: 2), fields.count == 2 else {
      throw JOSEError(.partyInfoMalformed, "not two length-prefixed fields", name: "apu")
    }
    guard fields[0] == prefix else {
      throw JOSEError(.partyInfoPrefixInvalid, "the first field is not APPLE", name: "apu")
    }
    guard fields[1] == key else {
      throw JOSEError(.partyInfoKeyMismatch, "the key is not the ephemeral one", name: "apu")
    }
  }

  private static let prefix = Array("APPLE".utf8)
}
