import PureCrypto
import StrictJSON

/// A plaintext and the header that came with it. The content is intact; who sent it is unknown.
public struct DecryptedJWE: Sendable {
  /// The protected header.
  public let header: ProtectedHeader

  /// Header parameters that nothing authenticates. Only JSON serializations have any; decide nothing by them.
  public let unprotectedHeader: JSONObject

  /// The plaintext's octets.
  public let plaintext: [UInt8]

  init(header: ProtectedHeader, unprotectedHeader: JSONObject, plaintext: [UInt8]) {
    self.header = header
    self.unprotectedHeader = unprotectedHeader
    self.plaintext = plaintext
  }
}

extension DecryptedJWE: Redacted {
  /// The plaintext's length. Never the plaintext.
  public var description: String { "DecryptedJWE(\(plaintext.count) octets)" }
}
