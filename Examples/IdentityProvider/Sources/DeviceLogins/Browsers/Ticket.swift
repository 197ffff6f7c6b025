import JOSE

/// A few facts that a browser carries from one page of this provider to the next, in an address or a cookie: signed, so
/// that the browser can't change them, and good for minutes. The server stores nothing, so the next page may be served
/// by another machine.
struct Ticket: Sendable {
  /// The purpose. A ticket is valid for one purpose only.
  let purpose: String
  private let issuer: String
  private let key: SigningKey
  private let lifetime: Double
  let clock: WallClock

  /// - Parameter secret: 32 octets or more.
  init(_ purpose: String, issuer: String, secret: [UInt8], lifetime: Double = 300, clock: WallClock) throws {
    (self.purpose, self.issuer, self.lifetime, self.clock) = (purpose, issuer, lifetime, clock)
    key = try SigningKey(secret: secret, algorithm: .hs256)
  }

  func issue(_ facts: JSONObject) throws -> String {
    var claims = facts
    claims["iss"] = .string(issuer)
    claims["aud"] = .string(purpose)
    claims["exp"] = .number(JSONNumber(clock.now.advanced(by: .seconds(lifetime)).wholeSeconds))
    return try JWT.sign(claims, with: key)
  }

  /// The facts of a ticket; nil if this provider didn't sign it, or it has another purpose or has expired.
  func facts(_ text: String) -> JSONObject? {
    let policy = JWTPolicy(issuer: .anyOf([issuer]), audience: .anyOf([purpose]), clock: clock)
    return try? JWTVerifier(key: key.verificationKey, policy: policy).verify(text, as: JSONObject.self).claims
  }
}
