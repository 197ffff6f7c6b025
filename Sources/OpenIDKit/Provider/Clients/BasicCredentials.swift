import JOSE

/// Client credentials in an `Authorization: Basic` field: both parts form-encoded, joined by a colon, in Base64.
///
/// Source: RFC 6749 §2.3.1, RFC 7617.
package struct BasicCredentials {
  package let clientID: String
  package let secret: String

  /// Reads a field, or nil for any other.
  package init?(field: String) {
    guard let credentials = AuthorizationCredentials(field), credentials.hasScheme("Basic"),
      let decoded = try? Base64.decode(credentials.token),
      let colon = decoded.firstIndex(of: 0x3A),
      let clientID = Self.formDecoded(decoded[..<colon]), let secret = Self.formDecoded(decoded[(colon + 1)...])
    else { return nil }
    self.clientID = clientID
    self.secret = secret
  }

  private static func formDecoded(_ bytes: ArraySlice<UInt8>) -> String? {
    // A separator at the end of a form says nothing, and so would one at the end of a secret.
    guard !bytes.contains(UInt8(ascii: "&")), let form = try? FormFields(decoding: Array("v=".utf8) + bytes),
      form.fields.count == 1
    else { return nil }
    return form.fields.first?.value
  }
}
