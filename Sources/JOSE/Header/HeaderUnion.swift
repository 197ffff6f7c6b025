import PureCrypto
import StrictJSON

/// The headers that all signatures or recipients of a JSON serialization share.
struct SharedHeaders {
  let protected: JSONObject
  let unprotected: JSONObject
  /// The names of both: looked up once for each member that is added, whatever their number.
  fileprivate let names: Set<WireName>

  /// - Throws: ``ErrorCode/headerInvalid`` if a name occurs twice, or one that must be protected is not.
  init(protected: JSONObject, unprotected: JSONObject = [:]) throws(JOSEError) {
    self.protected = protected
    self.unprotected = unprotected
    var names = Set(protected.names.map { WireName($0) })
    for name in unprotected.names {
      guard names.insert(WireName(name)).inserted else { throw HeaderUnion.repeated }
    }
    self.names = names
    try HeaderUnion.requireProtected(unprotected)
  }
}

/// The headers of one signature or recipient in a JSON serialization: what is protected, what is not, and both
/// together.
///
/// No name may occur in two of them, compared as bytes, so nothing unprotected can take the place of something
/// protected.
///
/// Source: RFC 7515 §7.2.1, RFC 7516 §7.2.1.
struct HeaderUnion: Sendable {
  let protected: JSONObject
  let unprotected: JSONObject

  /// - Parameter own: what only this signature or recipient has, unprotected.
  /// - Throws: ``ErrorCode/headerInvalid`` if a name occurs twice, or one that must be protected is not.
  init(_ shared: SharedHeaders, own: JSONObject) throws(JOSEError) {
    for name in own.names where shared.names.contains(WireName(name)) { throw Self.repeated }
    try Self.requireProtected(own)
    protected = shared.protected
    unprotected = JSONObject(uniqueMembers: shared.unprotected.members + own.members)
  }

  fileprivate static var repeated: JOSEError {
    JOSEError(.headerInvalid, "a header parameter occurs in two places", name: "header")
  }

  fileprivate static func requireProtected(_ unprotected: JSONObject) throws(JOSEError) {
    for name in ["crit", "b64", "zip"] where unprotected[name] != nil {
      throw JOSEError(.headerInvalid, "the parameter must be protected", name: name)
    }
  }

  /// A parameter, wherever it is.
  subscript(_ name: String) -> JSONValue? { protected[name] ?? unprotected[name] }

  /// All parameters.
  var merged: JSONObject { JSONObject(uniqueMembers: protected.members + unprotected.members) }

  /// `kid`, wherever it is.
  func keyID(limits: Limits) throws(JOSEError) -> String? {
    let holder = protected["kid"] == nil ? unprotected : protected
    guard let keyID = try holder.string(ifPresent: "kid", orThrow: .headerInvalid) else { return nil }
    guard keyID.utf8.count <= limits.keyIDByteCount else {
      throw JOSEError(.limitExceeded, "the key identifier is too long", name: "keyIDByteCount")
    }
    return keyID
  }

  /// A header object that the caller wants to write without protection.
  ///
  /// - Throws: ``ErrorCode/callerMisuse`` if a parameter is there already, or must be protected.
  static func requireWritable(_ unprotected: JSONObject, beside protected: JSONObject) throws(JOSEError) {
    for name in unprotected.names where protected[name] != nil || HeaderParameters.reserved.contains(name) {
      throw JOSEError(.callerMisuse, "an unprotected header parameter would replace one that is set", name: name)
    }
    try HeaderParameters.requireReadable(unprotected)
    if let value = unprotected["kid"] {
      guard let keyID = value.stringValue else {
        throw JOSEError(.callerMisuse, "kid must be a string", name: "kid")
      }
      try HeaderParameters.requireReadable(keyID: keyID)
    }
  }
}
