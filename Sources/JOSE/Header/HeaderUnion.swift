import PureCrypto
import StrictJSON

/// The headers of one signature or recipient in a JSON serialization: what is protected, what is not, and both together.
///
/// No name may occur in two of them, compared as bytes, so nothing unprotected can take the place of something protected.
/// Source: RFC 7515 §7.2.1, RFC 7516 §7.2.1.
struct HeaderUnion: Sendable {
  let protected: JSONObject
  let unprotected: JSONObject

  /// - Throws: ``JOSEError/Code/headerInvalid`` if a name occurs twice, or one that must be protected is not.
  init(protected: JSONObject, unprotected parts: [JSONObject]) throws(JOSEError) {
    self.protected = protected
    var unprotected: JSONObject = [:]
    for (name, value) in parts.flatMap(\.members) {
      guard protected[name] == nil, unprotected[name] == nil else {
        throw JOSEError(.headerInvalid, "a header parameter occurs in two places", name: "header")
      }
      unprotected[name] = value
    }
    for name in ["crit", "b64", "zip"] where unprotected[name] != nil {
      throw JOSEError(.headerInvalid, "the parameter must be protected", name: name)
    }
    self.unprotected = unprotected
  }

  /// A parameter, wherever it is.
  subscript(_ name: String) -> JSONValue? { protected[name] ?? unprotected[name] }

  /// All parameters.
  var merged: JSONObject {
    var merged = protected
    for (name, value) in unprotected.members { merged[name] = value }
    return merged
  }

  /// `kid`, wherever it is.
  func keyID(limits: Limits) throws(JOSEError) -> String? {
    let holder = protected["kid"] == nil ? unprotected : protected
    guard let keyID = try holder.headerString("kid") else { return nil }
    guard keyID.utf8.count <= limits.keyIDByteCount else {
      throw JOSEError(.limitExceeded, "the key identifier is too long", name: "keyIDByteCount")
    }
    return keyID
  }

  /// A header object that the caller wants to write without protection.
  ///
  /// - Throws: ``JOSEError/Code/callerMisuse`` if a parameter is there already, or must be protected.
  static func requireWritable(_ unprotected: JSONObject, beside protected: JSONObject) throws(JOSEError) {
    for name in unprotected.names where protected[name] != nil || HeaderParameters.reserved.containsBytes(of: name) {
      throw JOSEError(.callerMisuse, "an unprotected header parameter would replace one that is set", name: name)
    }
  }
}

extension JSONObject {
  /// An object of a JSON serialization, or none.
  func serializationObject(_ name: String) throws(JOSEError) -> JSONObject {
    guard let value = self[name] else { return [:] }
    guard case .object(let object) = value else { throw JOSEError(.malformed, "the member is no object", name: name) }
    return object
  }

  /// The text of a member, or nil if it is absent.
  func serializationText(_ name: String) throws(JOSEError) -> String? {
    guard let value = self[name] else { return nil }
    guard case .string(let text) = value else { throw JOSEError(.malformed, "the member is no string", name: name) }
    return text
  }

  /// The text of a base64url member and its octets, or nil if it is absent.
  func serializationOctets(
    _ name: String, byteLimit: Int, limitName: String
  ) throws(JOSEError) -> (text: [UInt8], octets: [UInt8])? {
    guard let text = try serializationText(name) else { return nil }
    guard text.utf8.count <= Base64Alphabet.encodedCount(byteLimit) else {
      throw JOSEError(.limitExceeded, "a member of the message is too long", name: limitName)
    }
    return (Array(text.utf8), try Base64URL.decode(text))
  }

  /// The protected header's text and members; none of either if it is absent. An empty one must be absent.
  func protectedHeader(limits: Limits) throws(JOSEError) -> (text: [UInt8], header: JSONObject) {
    guard
      let (text, octets) = try serializationOctets(
        "protected", byteLimit: limits.headerByteCount, limitName: "headerByteCount")
    else { return ([], [:]) }
    guard !text.isEmpty else { throw JOSEError(.malformed, "an empty header must be absent", name: "protected") }
    return (text, try JSONObject(parsing: octets, within: limits.headerJSON))
  }
}
