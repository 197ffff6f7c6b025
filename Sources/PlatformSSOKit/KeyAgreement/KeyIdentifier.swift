import JOSE
import PureCrypto

/// The name of a key in Platform SSO: SHA-256 of its point `04 ‖ X ‖ Y`.
///
/// macOS writes it in the standard base64 alphabet with padding, unlike everything else in JOSE. Servers and extensions
/// use other forms, so identifiers are compared by their octets.
///
/// Source: Apple, Creating and validating a login request.
public struct KeyIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// The hash, 32 octets.
  package let octets: [UInt8]

  /// The identifier of a public key given as 65 octets `04 ‖ X ‖ Y`.
  ///
  /// - Throws: `ErrorCode.keyInvalid` if the octets are not a point of P-256.
  package init(ofX963Representation key: [UInt8]) throws(JOSEError) {
    guard (try? P256PublicKey(x963Representation: key)) != nil else {
      throw JOSEError(.keyInvalid, "the octets are not an uncompressed point of P-256")
    }
    self.init(ofCheckedPoint: key)
  }

  init(ofCheckedPoint key: [UInt8]) {
    octets = Array(SHA2.SHA256.hash(key))
  }

  /// Reads an identifier in either base64 alphabet, with or without padding. A text with both alphabets is refused.
  ///
  /// - Throws: `ErrorCode.keyIdentifierInvalid`.
  public init(parsing text: String) throws(JOSEError) {
    guard let octets = AnyBase64.decode(text), octets.count == 32 else {
      throw JOSEError(.keyIdentifierInvalid, "not 32 octets in base64", name: "kid")
    }
    self.octets = octets
  }

  /// The identifier as macOS writes it: 44 characters of the standard alphabet, the last one `=`.
  package var text: String { Base64.encode(octets) }

  /// The identifier as macOS writes it.
  public var description: String { text }
}
