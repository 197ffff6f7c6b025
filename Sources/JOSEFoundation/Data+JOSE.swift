import Foundation
import JOSE

extension VerifiedJWS {
  /// The payload, copied for code that takes `Data`.
  public var payloadData: Data { Data(payload) }
}

extension DecryptedJWE {
  /// The plaintext, copied for code that takes `Data`.
  public var plaintextData: Data { Data(plaintext) }
}

extension Base64URL {
  /// Decodes text to `Data`.
  ///
  /// - Throws: `ErrorCode.malformed`.
  public static func data(_ text: String) throws(JOSEError) -> Data {
    Data(try decode(text))
  }
}
