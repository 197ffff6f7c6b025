import JOSE
import PureCrypto
import StrictJSON

extension OpenIDClient {
  /// A login that waits for its browser to come back. It holds secrets, and serves once.
  ///
  /// Keep it for the browser that began it and for no other: in memory under a random name that stands in a cookie
  /// (`Secure`, `HttpOnly`, `SameSite=Lax`), or, where there are several processes, ``serialized()`` in a store that
  /// gives it out once. Whoever gets another's pending login and answer is logged in as the other.
  public struct PendingLogin: Sendable {
    /// The provider that was asked.
    public let issuer: String
    /// When the login can't be finished any more.
    public let expiration: NumericDate
    let clientID: String
    let redirectURI: String
    let request: CodeRequest
    let scopes: [String]
    let maximumAge: Int?
    /// The key that the tokens are going to be bound to.
    let proofKey: JWK?
  }
}

extension OpenIDClient.PendingLogin {
  /// The login as JSON, for stores that keep bytes. It holds secrets.
  public func serialized() -> [UInt8] {
    var object: JSONObject = [
      "version": 1, "issuer": .string(issuer), "client": .string(clientID), "redirect": .string(redirectURI),
      "state": .string(request.state), "nonce": .string(request.nonce), "verifier": .string(request.pkce.verifier),
      "scopes": .array(scopes.map { .string($0) }), "expiration": StoredJSON.number(expiration.secondsSince1970),
    ]
    if let maximumAge { object["maximumAge"] = .number(JSONNumber(maximumAge)) }
    // Text in text: a key is read and written by its own rules.
    if let proofKey {
      object["proofKey"] = .string(String(decoding: proofKey.serializedWithPrivateKey(), as: UTF8.self))
    }
    return object.serialized()
  }

  /// Reads a login that ``serialized()`` wrote.
  ///
  /// - Throws: `ErrorCode.recordMalformed`.
  public init(parsing json: some Collection<UInt8>) throws(TokenRefreshError) {
    do {
      let object = try JSONObject(parsing: json)
      let maximumAge = try object.number(ifPresent: "maximumAge")
      guard try object.integer("version") == 1,
        maximumAge.map({ $0.exactly(Int.self).map { $0 >= 0 } ?? false }) ?? true
      else { throw JSONError(.typeMismatch, "not a login of this version") }
      let (state, nonce) = (try object.string("state"), try object.string("nonce"))
      guard !state.isEmpty, !nonce.isEmpty else { throw JSONError(.typeMismatch, "nothing to recognise the answer by") }
      self.init(
        issuer: try object.string("issuer"), expiration: try StoredJSON.date(object.number("expiration")),
        clientID: try object.string("client"), redirectURI: try object.string("redirect"),
        request: CodeRequest(state: state, nonce: nonce, pkce: try PKCE(verifier: object.string("verifier"))),
        scopes: try StoredJSON.strings(object["scopes"]), maximumAge: maximumAge?.exactly(Int.self),
        proofKey: try object.string(ifPresent: "proofKey").map(Self.key))
    } catch {
      throw TokenRefreshError(.recordMalformed, "the stored login can't be read")
    }
  }

  /// A private key that signs.
  private static func key(_ text: String) throws -> JWK {
    let key = try JWK(parsing: text)
    guard key.keyType != .oct else { throw JSONError(.typeMismatch, "a proof is not made by a shared secret") }
    _ = try SigningKey(key)
    return key
  }
}

extension OpenIDClient.PendingLogin: Redacted {}
