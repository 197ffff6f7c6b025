import JOSE
import StrictJSON

extension RefreshTokenFamily.ID {
  /// The name as text, base64url, for a database's key column.
  public var text: String { Base64URL.encode(octets) }

  /// The name that ``text`` wrote, or nil for anything else.
  public init?(text: String) {
    guard let octets = try? Base64URL.decode(text) else { return nil }
    self.init(octets: octets)
  }
}

extension RefreshTokenFamily {
  /// The family as JSON, for stores that keep bytes. It holds no token.
  ///
  /// A store needs columns of its own for what it looks up: ``id``, ``version``, and of the grant the subject, client,
  /// session and device secret; ``createdAt``, ``absoluteExpiration`` and the date of a revocation.
  public func serialized() -> [UInt8] {
    var object: JSONObject = [
      "version": 1, "id": .string(id.text), "revision": .number(JSONNumber(version)),
      "subject": .string(grant.subject), "client": .string(grant.clientID),
      "scope": .array(grant.scope.map { .string($0) }), "resources": .array(grant.resources.map { .string($0) }),
      "createdAt": StoredJSON.number(createdAt.secondsSince1970),
      "lastUsedAt": StoredJSON.number(lastUsedAt.secondsSince1970),
      "generation": .number(JSONNumber(generation)), "replayCount": .number(JSONNumber(replayCount)),
    ]
    object["session"] = grant.sessionID.map { .string($0) }
    object["confirmation"] = grant.confirmation.map { .string($0) }
    object["deviceSecret"] = grant.deviceSecretID.map { .string($0) }
    object["authenticationTime"] = grant.authenticationTime.map { StoredJSON.number($0.secondsSince1970) }
    object["absoluteExpiration"] = absoluteExpiration.map { StoredJSON.number($0.secondsSince1970) }
    object["rotatedAt"] = rotatedAt.map { StoredJSON.number($0.secondsSince1970) }
    if case .revoked(let reason, let date) = status {
      object["revoked"] = [
        "reason": .string(reason.description), "at": StoredJSON.number(date.secondsSince1970),
      ]
    }
    return object.serialized()
  }

  /// Reads a family that ``serialized()`` wrote.
  ///
  /// - Throws: ``TokenRefreshErrorCode/recordMalformed``.
  public init(parsing json: some Collection<UInt8>) throws(TokenRefreshError) {
    do throws(JSONError) {
      let object = try JSONObject(parsing: json)
      guard try object.integer("version") == 1, let id = ID(text: try object.string("id")) else {
        throw JSONError(.typeMismatch, "not a family of this version")
      }
      let grant = RefreshGrant(
        subject: try object.string("subject"), clientID: try object.string("client"),
        sessionID: try object.string(ifPresent: "session"), scope: try StoredJSON.strings(object["scope"]),
        resources: try StoredJSON.strings(object["resources"]),
        confirmation: try object.string(ifPresent: "confirmation"),
        deviceSecretID: try object.string(ifPresent: "deviceSecret"),
        authenticationTime: try Self.date(object, "authenticationTime"))
      let revoked = try object.object(ifPresent: "revoked")
      let status: Status =
        if let revoked {
          .revoked(LogoutReason(try revoked.string("reason")), at: try StoredJSON.date(revoked.number("at")))
        } else {
          .active
        }
      self.init(
        id: id, version: try StoredJSON.counter(object.number("revision")), grant: grant,
        createdAt: try StoredJSON.date(object.number("createdAt")),
        absoluteExpiration: try Self.date(object, "absoluteExpiration"),
        lastUsedAt: try StoredJSON.date(object.number("lastUsedAt")), status: status,
        generation: try StoredJSON.counter(object.number("generation")),
        rotatedAt: try Self.date(object, "rotatedAt"), replayCount: Int(clamping: try object.integer("replayCount")))
    } catch {
      throw TokenRefreshError(.recordMalformed, "the stored family can't be read")
    }
  }

  private static func date(_ object: JSONObject, _ name: String) throws(JSONError) -> NumericDate? {
    guard let number = try object.number(ifPresent: name) else { return nil }
    return try StoredJSON.date(number)
  }
}
