import JOSE

/// For whom a password is encrypted: `lp(prefix) ‖ lp(04 ‖ X ‖ Y) ‖ lp(server nonce)`.
///
/// The prefix is the login configuration's `loginRequestEncryptionAPVPrefix`, the key the identity provider's, and the
/// nonce the server's, not the device's own. Apple does not say what stands first when no prefix is configured:
/// `omitsUnsetAPVPrefix` of the login configuration chooses.
///
/// Source: the sample header of Apple's Creating an encrypted embedded assertion.
package enum EmbeddedAssertionPartyVInfo {
  /// The octets that enter the key derivation.
  package static func octets(
    prefix: [UInt8]?, omitsUnsetPrefix: Bool = false, recipientX963Representation key: [UInt8],
    serverNonce: String
  ) -> [UInt8] {
    var fields = [key, Array(serverNonce.utf8)]
    if let prefix {
      fields.insert(prefix, at: 0)
    } else if !omitsUnsetPrefix {
      fields.insert([], at: 0)
    }
    return LengthPrefixedFields.encode(fields)
  }

  /// Requires that received octets name the recipient and one of some nonces, behind the configured prefix or behind
  /// none.
  ///
  /// - Parameter acceptsAnyPrefix: whether another prefix will do.
  static func check(
    _ octets: [UInt8], prefix: [UInt8]?, acceptsAnyPrefix: Bool, recipientX963Representation key: [UInt8],
    nonces: [String]
  ) throws(JOSEError) {
    guard let fields = LengthPrefixedFields.decode(octets, limit: 3), fields.count >= 2 else {
      throw JOSEError(.partyInfoMalformed, "not two or three length-prefixed fields", name: "apv")
    }
    if fields.count == 3, !acceptsAnyPrefix, !fields[0].isEmpty, fields[0] != prefix {
      throw JOSEError(.partyInfoPrefixInvalid, "the first field is not the configured prefix", name: "apv")
    }
    guard fields[fields.count - 2] == key else {
      throw JOSEError(.partyInfoKeyMismatch, "the key is not the recipient's", name: "apv")
    }
    guard nonces.contains(where: { fields[fields.count - 1].elementsEqual($0.utf8) }) else {
      throw JOSEError(.partyInfoNonceMismatch, "the nonce must be one of the request's", name: "apv")
    }
  }

  /// Whether received octets end with a nonce.
  static func names(_ nonce: String, in octets: [UInt8]) -> Bool {
    self.nonce(octets)?.elementsEqual(nonce.utf8) ?? false
  }

  /// The nonce with which received octets end, or nil if they are not made of fields.
  static func nonce(_ octets: [UInt8]) -> [UInt8]? { LengthPrefixedFields.decode(octets, limit: 3)?.last }

  /// The recipient's key that received octets name, or nil if they are no such party info.
  static func recipient(_ octets: [UInt8]) -> [UInt8]? {
    guard let fields = LengthPrefixedFields.decode(octets, limit: 3), fields.count >= 2 else { return nil }
    return fields[fields.count - 2]
  }
}
