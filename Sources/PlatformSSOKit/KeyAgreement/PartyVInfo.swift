import JOSE

/// For whom a response is encrypted, and in answer to what: `lp("Apple") ‖ lp(04 ‖ X ‖ Y) ‖ lp(nonce)`, in
/// mixed case.
///
/// The device makes it for each request and sends it as `jwe_crypto.apv`. The provider encrypts the response with these
/// very octets; the response's header may repeat them or not.
///
/// Source: Apple, Creating a JSON Web Encryption (JWE) login response.
package struct PartyVInfo: Hashable, Sendable {
  /// The octets that enter the key derivation.
  package let octets: [UInt8]

  /// The device's package encryption key, as 65 octets `04 ‖ X ‖ Y`; none of octets that were not looked into.
  package let encryptionKeyX963Representation: [UInt8]

  /// The request's own nonce; empty of octets that were not looked into.
  package let nonce: String

  /// The party info of a request with its own nonce, not the server's.
  package init(encryptionKeyX963Representation key: [UInt8], nonce: String) {
    octets = LengthPrefixedFields.encode([Self.prefix, key, Array(nonce.utf8)])
    encryptionKeyX963Representation = key
    self.nonce = nonce
  }

  /// Takes a received party info apart.
  package init(parsing octets: [UInt8]) throws(JOSEError) {
    guard let fields = LengthPrefixedFields.decode(octets, limit: 3), fields.count == 3, fields[1].count == 65,
      fields[1][0] == 0x04, let nonce = String(validating: fields[2], as: UTF8.self)
    else {
      throw JOSEError(
        .partyInfoMalformed, "not three length-prefixed fields with a key in the second", name: "apv")
    }
    guard fields[0] == Self.prefix else {
      throw JOSEError(.partyInfoPrefixInvalid, "the first field is not Apple", name: "apv")
    }
    self.octets = octets
    encryptionKeyX963Representation = fields[1]
    self.nonce = nonce
  }

  /// Octets that need not be a party info of this form: then key and nonce are empty.
  init(opaque octets: [UInt8]) {
    if let info = try? PartyVInfo(parsing: octets) {
      self = info
    } else {
      self.octets = octets
      encryptionKeyX963Representation = []
      nonce = ""
    }
  }

  private static let prefix = Array("Apple".utf8)
}
