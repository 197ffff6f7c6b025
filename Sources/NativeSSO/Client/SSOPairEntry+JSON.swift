import JOSE
import StrictJSON

/// The stored form: one JSON document, version 1, so that both halves are always written and read at once.
///
/// It holds the device secret in the clear: it belongs into a keychain, or a file of mode 0600.
extension SSOPairEntry {
  private static let version: Int64 = 1

  /// The document.
  public var serialized: [UInt8] {
    var object: JSONObject = ["v": .number(JSONNumber(Self.version)), "gen": .number(JSONNumber(generation))]
    guard let pair else { return object.serialized() }
    object["issuer"] = .string(pair.issuer)
    object["sub"] = .string(pair.subject)
    if let sessionID = pair.sessionID { object["sid"] = .string(sessionID) }
    object["client_id"] = .string(pair.clientID)
    object["device_secret"] = .string(pair.deviceSecret.reveal())
    object["id_token"] = .string(pair.idToken)
    if let recipe = pair.dsHashRecipe { object["ds_hash_recipe"] = .string(recipe.rawValue) }
    object["stored_at"] = .number(JSONNumber(pair.storedAt.wholeSeconds))
    object["id_token_exp"] = .number(JSONNumber(pair.idTokenExpiration.wholeSeconds))
    object["id_token_iat"] = .number(JSONNumber(pair.idTokenIssuedAt.wholeSeconds))
    object["writer"] = .string(pair.writer)
    return object.serialized()
  }

  /// Reads a document. Every sibling app can write the store, so nothing in it is trusted to be legal.
  ///
  /// - Throws: ``NativeSSOErrorCode/storedPairInvalid``.
  public init(parsing document: some Collection<UInt8>, limits: Limits = .default) throws(NativeSSOError) {
    let invalid = NativeSSOError(.storedPairInvalid, "the stored document is not legal")
    guard document.count <= limits.claimsByteCount,
      let object = try? JSONObject(parsing: document, within: limits.claimsJSON),
      object["v"]?.int64Value == Self.version, let generation = object["gen"]?.numberValue?.exactly(UInt64.self)
    else { throw invalid }
    guard object["device_secret"] != nil || object["id_token"] != nil else {
      self.init(generation: generation, pair: nil)
      return
    }
    guard let pair = SSOPair(stored: object) else { throw invalid }
    self.init(generation: generation, pair: pair)
  }
}

extension SSOPair {
  fileprivate init?(stored object: JSONObject) {
    func text(_ name: String) -> String? { object[name]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
    func date(_ name: String) -> NumericDate? {
      object[name]?.doubleValue.flatMap(NumericDate.init(secondsSince1970:))
    }
    guard let issuer = text("issuer"), let subject = text("sub"), let clientID = text("client_id"),
      let secret = text("device_secret").flatMap({ try? DeviceSecret($0) }), let idToken = text("id_token"),
      let storedAt = date("stored_at"), let expiration = date("id_token_exp"), let writer = text("writer")
    else { return nil }
    self.issuer = issuer
    self.subject = subject
    sessionID = text("sid")
    self.clientID = clientID
    deviceSecret = secret
    self.idToken = idToken
    dsHashRecipe = text("ds_hash_recipe").flatMap(DSHashRecipe.init(rawValue:))
    idTokenExpiration = expiration
    idTokenIssuedAt = date("id_token_iat") ?? storedAt
    self.storedAt = storedAt
    self.writer = writer
  }
}
