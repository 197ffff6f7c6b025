import JOSE
import StrictJSON

extension TokenRecord {
  /// The record as JSON, for stores that keep bytes. It holds tokens.
  public func serialized() -> [UInt8] {
    var object: JSONObject = [
      "version": 1, "loginID": .string(loginID), "revision": .number(JSONNumber(revision)),
      "generation": .number(JSONNumber(generation)), "kind": .string(kind.rawValue),
      "tokenType": .string(tokenType), "issuedAt": StoredJSON.number(issuedAt.secondsSince1970),
      "lifetime": StoredJSON.number(lifetime), "lastFullLogin": StoredJSON.number(lastFullLogin.secondsSince1970),
    ]
    object["subject"] = subject.map { .string($0) }
    object["accessToken"] = accessToken.map { .string($0) }
    object["scope"] = scope.map { .string($0) }
    object["refreshToken"] = refreshToken.map { .string($0) }
    object["refreshTokenExpiration"] = refreshTokenExpiration.map { StoredJSON.number($0.secondsSince1970) }
    object["idToken"] = idToken.map { .string($0) }
    if let pendingRotation {
      object["pendingRotation"] = [
        "startedAt": StoredJSON.number(pendingRotation.startedAt.secondsSince1970),
        "refreshTokenFingerprint": .string(pendingRotation.refreshTokenFingerprint),
      ]
    }
    return object.serialized()
  }

  /// Reads a record that ``serialized()`` wrote.
  ///
  /// - Throws: ``TokenRefreshErrorCode/recordMalformed``.
  public init(parsing json: some Collection<UInt8>) throws(TokenRefreshError) {
    do throws(JSONError) {
      let object = try JSONObject(parsing: json)
      guard try object.integer("version") == 1, let kind = LoginKind(rawValue: try object.string("kind")),
        let revision = try object.number("revision").exactly(UInt64.self),
        let generation = try object.number("generation").exactly(UInt64.self)
      else { throw JSONError(.typeMismatch, "not a record of this version") }
      self.init(
        loginID: try object.string("loginID"), revision: revision, generation: generation, kind: kind,
        subject: try object.string(ifPresent: "subject"), accessToken: try object.string(ifPresent: "accessToken"),
        tokenType: try object.string("tokenType"), scope: try object.string(ifPresent: "scope"),
        issuedAt: try StoredJSON.date(object.number("issuedAt")), lifetime: try object.number("lifetime").double,
        refreshToken: try object.string(ifPresent: "refreshToken"),
        idToken: try object.string(ifPresent: "idToken"),
        lastFullLogin: try StoredJSON.date(object.number("lastFullLogin")))
      if let expiration = try object.number(ifPresent: "refreshTokenExpiration") {
        refreshTokenExpiration = try StoredJSON.date(expiration)
      }
      if let pending = try object.object(ifPresent: "pendingRotation") {
        pendingRotation = PendingRotation(
          startedAt: try StoredJSON.date(pending.number("startedAt")),
          refreshTokenFingerprint: try pending.string("refreshTokenFingerprint"))
      }
    } catch {
      throw TokenRefreshError(.recordMalformed, "the stored record can't be read")
    }
  }
}
