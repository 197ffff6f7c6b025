import JOSE

/// A few facts that a browser carries from one page of this provider to the next, in an address or a cookie: signed, so
/// that it can't change them, and good for minutes. Nothing has to be kept for it, on whichever machine the next page
/// is.
struct Ticket: Sendable {
  /// What it is for: a ticket for one thing is none for another.
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

  /// The facts of a ticket; nil for one that is not ours, not for this or too old.
  func facts(_ text: String) -> JSONObject? {
    let policy = JWTPolicy(issuer: .anyOf([issuer]), audience: .anyOf([purpose]), clock: clock)
    return try? JWTVerifier(key: key.verificationKey, policy: policy).verify(text, as: JSONObject.self).claims
  }
}
