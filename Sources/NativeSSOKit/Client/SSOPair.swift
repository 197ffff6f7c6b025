import PureCrypto
import JOSE
import StrictJSON

/// The device secret and the ID token that binds it, which travel together, with what is known about them.
///
/// Descriptions show neither.
package struct SSOPair: Sendable {
  /// The issuer. The pair goes to this issuer's token endpoint and nowhere else.
  package let issuer: WireName
  /// `sub` of the ID token.
  package let subject: WireName
  /// `sid` of the ID token. Absent: the provider's profile has no session binding.
  package let sessionID: WireName?
  /// The client that the ID token was issued to.
  package let clientID: WireName
  /// The device secret, which an exchange presents as the actor token.
  package let deviceSecret: DeviceSecret
  /// The ID token, which an exchange presents as the subject token.
  package let idToken: String
  /// The recipe that `ds_hash` was found to follow.
  package let dsHashRecipe: DSHashRecipe?
  /// When the ID token expires. Providers accept it longer here.
  package let idTokenExpiration: NumericDate
  /// `iat` of the ID token.
  package let idTokenIssuedAt: NumericDate
  /// When the pair was stored.
  package let storedAt: NumericDate
  /// The app that stored it.
  package let writer: String

  init(
    claims: IDTokenClaims, clientID: String, deviceSecret: DeviceSecret, idToken: String, dsHashRecipe: DSHashRecipe?,
    storedAt: NumericDate, writer: String
  ) {
    issuer = claims.issuer
    subject = claims.subject
    sessionID = claims.sessionID
    (self.clientID, self.deviceSecret, self.idToken) = (WireName(clientID), deviceSecret, idToken)
    self.dsHashRecipe = dsHashRecipe
    idTokenExpiration = claims.expiration
    idTokenIssuedAt = claims.issuedAt
    self.storedAt = storedAt
    self.writer = writer
  }
}

extension SSOPair {
  /// Whether another pair is this one as it was renewed, or was before: by its device secret, or by its user and
  /// session.
  func isOfSameLogin(as other: SSOPair) -> Bool {
    if deviceSecret.isSame(as: other.deviceSecret) { return true }
    guard subject == other.subject else { return false }
    guard let sessionID, let session = other.sessionID else { return true }
    return sessionID == session
  }
}

extension SSOPair: Redacted {}

/// What a shared store holds for one issuer: a pair or none, and how often that has changed.
///
/// The generation counts on when a pair is deleted, so that a reader from before never mistakes a later pair for its
/// own.
package struct SSOPairEntry: Sendable {
  /// 0 if there never was a pair; then one more with each change.
  package let generation: UInt64
  /// The pair, unless it was deleted.
  package let pair: SSOPair?

  /// An entry.
  package init(generation: UInt64, pair: SSOPair?) {
    self.generation = generation
    self.pair = pair
  }

  /// The entry of an issuer about which nothing was ever stored.
  package static let empty = SSOPairEntry(generation: 0, pair: nil)

  /// The entry that follows this one.
  package func next(_ pair: SSOPair?) -> SSOPairEntry { SSOPairEntry(generation: generation &+ 1, pair: pair) }
}

/// The stored form: one JSON document, version 1, so that both halves are always written and read at once.
///
/// It holds the device secret in the clear: it belongs into a keychain, or a file of mode 0600.
extension SSOPairEntry {
  private static let version: Int64 = 1

  /// The document.
  package var serialized: [UInt8] {
    var object: JSONObject = ["v": .number(JSONNumber(Self.version)), "gen": .number(JSONNumber(generation))]
    guard let pair else { return object.serialized() }
    object["issuer"] = .string(pair.issuer.text)
    object["sub"] = .string(pair.subject.text)
    if let sessionID = pair.sessionID { object["sid"] = .string(sessionID.text) }
    object["client_id"] = .string(pair.clientID.text)
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
  /// - Throws: `ErrorCode.recordMalformed`.
  package init(parsing document: some Collection<UInt8>, limits: Limits = .default) throws(JOSEError) {
    let invalid = JOSEError(.recordMalformed, "the stored document is not legal")
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
    self.issuer = WireName(issuer)
    self.subject = WireName(subject)
    sessionID = text("sid").map { WireName($0) }
    self.clientID = WireName(clientID)
    deviceSecret = secret
    self.idToken = idToken
    dsHashRecipe = text("ds_hash_recipe").flatMap(DSHashRecipe.init(rawValue:))
    idTokenExpiration = expiration
    idTokenIssuedAt = date("id_token_iat") ?? storedAt
    self.storedAt = storedAt
    self.writer = writer
  }
}
