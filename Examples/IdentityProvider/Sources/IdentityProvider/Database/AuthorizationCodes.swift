import Foundation
import GRDB
import GRDBStores
import JOSE
import PureCrypto
import TokenRefresh

/// What a code stands for.
struct AuthorizationCode: Sendable {
  let clientID: String
  let redirectURI: String
  let scopes: [String]
  let nonce: String?
  let challenge: String?
  let sessionID: String
  let claims: ClaimsRequest
  let keyThumbprint: String?
  /// The name of the grant, which stands in its access tokens.
  let grantID: String

  init(_ request: AuthorizationRequest, sessionID: String) {
    let parameters = request.parameters
    (clientID, redirectURI, scopes) = (parameters.clientID, parameters.redirectURI, parameters.scopes)
    (nonce, challenge, claims) = (parameters.nonce, parameters.codeChallenge, request.claims)
    (self.sessionID, keyThumbprint) = (sessionID, parameters.keyThumbprint)
    grantID = RandomText.make(byteCount: 16)
  }

  fileprivate init(_ object: JSONObject, clientID: String, grantID: String) throws {
    (self.clientID, self.grantID) = (clientID, grantID)
    redirectURI = try object.string("redirect_uri")
    scopes = object.strings("scopes")
    nonce = try object.string(ifPresent: "nonce")
    challenge = try object.string(ifPresent: "challenge")
    sessionID = try object.string("session")
    claims = ClaimsRequest(try object.object(ifPresent: "claims"))
    keyThumbprint = try object.string(ifPresent: "jkt")
  }

  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "redirect_uri": .string(redirectURI), "scopes": .strings(scopes), "session": .string(sessionID),
      "claims": .object(claims.json),
    ]
    for case (let name, let value?) in [("nonce", nonce), ("challenge", challenge), ("jkt", keyThumbprint)] {
      object[name] = .string(value)
    }
    return object
  }
}

/// Codes in the database, by their hashes. One that was used stays until the tokens that it gave have ended, so that a second
/// use is known for what it is.
struct AuthorizationCodes: Sendable {
  /// What comes of presenting a code.
  enum Outcome: Sendable {
    case accepted(AuthorizationCode)
    case reused(grantID: String, family: RefreshTokenFamily.ID?)
    case unknown
  }

  let database: ProviderDatabase
  let clock: WallClock

  /// Keeps what a code stands for, and returns the code.
  func add(_ code: AuthorizationCode, lifetime: Double) async throws -> String {
    let text = RandomText.make()
    let end = clock.now.advanced(by: lifetime).secondsSince1970
    let document = Data(code.json.serialized())
    try await database.write { database in
      try database.execute(
        sql: "INSERT INTO authorizationCodes (code, client, grantID, expiresAt, document) VALUES (?, ?, ?, ?, ?)",
        arguments: [Self.hash(text), Data(code.clientID.utf8), code.grantID, end, document])
    }
    return text
  }

  /// Uses a code up, in one step. Of others than its own client it is unknown, and stays.
  func use(_ text: String, clientID: String) async throws -> Outcome {
    let now = clock.now.secondsSince1970
    let hash = Self.hash(text)
    return try await database.write { database in
      let row = try Row.fetchOne(
        database, sql: "SELECT * FROM authorizationCodes WHERE code = ? AND client = ?",
        arguments: [hash, Data(clientID.utf8)])
      guard let row else { return .unknown }
      guard row["usedAt"] as Double? == nil else {
        try database.execute(sql: "UPDATE authorizationCodes SET reusedAt = ? WHERE code = ?", arguments: [now, hash])
        let family = (row["family"] as Data?).flatMap { RefreshTokenFamily.ID(octets: Array($0)) }
        return .reused(grantID: row["grantID"], family: family)
      }
      guard now < row["expiresAt"] else { return .unknown }
      try database.execute(sql: "UPDATE authorizationCodes SET usedAt = ? WHERE code = ?", arguments: [now, hash])
      return .accepted(
        try AuthorizationCode(JSONObject(parsing: row["document"] as Data), clientID: clientID, grantID: row["grantID"])
      )
    }
  }

  /// Notes the refresh tokens that came of a code. False if the code was presented again meanwhile.
  func note(_ family: RefreshTokenFamily.ID, of text: String) async throws -> Bool {
    let hash = Self.hash(text)
    return try await database.write { database in
      try database.execute(
        sql: "UPDATE authorizationCodes SET family = ? WHERE code = ? AND reusedAt IS NULL",
        arguments: [Data(family.octets), hash])
      return database.changesCount == 1
    }
  }

  /// Whether a code was presented again.
  func isReused(_ text: String) async throws -> Bool {
    let hash = Self.hash(text)
    return try await database.read { database in
      try Bool.fetchOne(
        database, sql: "SELECT reusedAt IS NOT NULL FROM authorizationCodes WHERE code = ?", arguments: [hash]) ?? false
    }
  }

  private static func hash(_ text: String) -> Data { Data(SHA2.SHA256.hash(text.utf8)) }
}
