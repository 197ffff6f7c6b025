/// For whom a password is encrypted: `lp(prefix) ‖ lp(04 ‖ X ‖ Y) ‖ lp(server nonce)`.
///
/// The prefix is the login configuration's `loginRequestEncryptionAPVPrefix`, the key the identity provider's, and the
/// nonce the server's, not the device's own. Apple does not say what stands first when no prefix is configured:
/// ``UnsetPrefix`` names the choice. Source: the sample header of Apple's Creating an encrypted embedded assertion.
public struct EmbeddedAssertionPartyVInfo: Hashable, Sendable {
  /// What to write when no prefix is configured.
  public enum UnsetPrefix: Sendable, Hashable {
    /// A field of no octets: `00 00 00 00`.
    case emptyField
    /// No field: the key comes first.
    case omittedField
  }

  /// The octets that enter the key derivation.
  public let octets: [UInt8]

  /// The party info of an encrypted embedded assertion.
  public init(
    prefix: [UInt8]?, unsetPrefix: UnsetPrefix = .emptyField, recipientX963Representation key: [UInt8],
    serverNonce: String
  ) {
    var fields = [key, Array(serverNonce.utf8)]
    if let prefix {
      fields.insert(prefix, at: 0)
    } else if unsetPrefix == .emptyField {
      fields.insert([], at: 0)
    }
    octets = LengthPrefixedFields.encode(fields)
  }

  /// Requires that received octets name the recipient and the server nonce, behind the configured prefix or behind
  /// none.
  ///
  /// - Throws: `ErrorCode.partyInfoMalformed`, `ErrorCode.partyInfoPrefixInvalid`,
  ///   `ErrorCode.partyInfoKeyMismatch`, `ErrorCode.partyInfoNonceMismatch`.
  static func check(
    _ octets: [UInt8], prefix: [UInt8]?, recipientX963Representation key: [UInt8], serverNonce: String
  ) throws(PlatformSSOError) {
    guard let fields = LengthPrefixedFields.decode(octets, limit: 3), fields.count >= 2 else {
      throw PlatformSSOError(.partyInfoMalformed, "not two or three length-prefixed fields", name: "apv")
    }
    if fields.count == 3, !fields[0].isEmpty, fields[0] != prefix {
      throw PlatformSSOError(.partyInfoPrefixInvalid, "the first field is not the configured prefix", name: "apv")
    }
    guard fields[fields.count - 2] == key else {
      throw PlatformSSOError(.partyInfoKeyMismatch, "the key is not the recipient's", name: "apv")
    }
    guard fields[fields.count - 1].elementsEqual(serverNonce.utf8) else {
      throw PlatformSSOError(.partyInfoNonceMismatch, "the nonce is not the server's", name: "apv")
    }
  }

  /// The recipient's key that received octets name, or nil if they are no such party info.
  static func recipient(_ octets: [UInt8]) -> [UInt8]? {
    guard let fields = LengthPrefixedFields.decode(octets, limit: 3), fields.count >= 2 else { return nil }
    return fields[fields.count - 2]
  }
}
