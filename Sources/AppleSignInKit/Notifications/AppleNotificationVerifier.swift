import JOSE
import StrictJSON

/// Verifies server-to-server notifications.
public struct AppleNotificationVerifier: Sendable {
  /// Who signs them.
  public var service: AppleService
  /// Our App IDs.
  public var audiences: [String]
  /// By how much clocks may differ. The default is a minute.
  public var leeway: Duration
  /// Where "now" comes from.
  public var clock: WallClock

  /// A verifier for notifications to the given apps.
  public init(
    audiences: [String], service: AppleService = .apple, leeway: Duration = .seconds(60), clock: WallClock = .system
  ) {
    (self.audiences, self.service, self.leeway, self.clock) = (audiences, service, leeway, clock)
  }

  /// The largest body, in octets.
  static let maximumByteCount = SignedByApple.maximumByteCount

  /// How long after `iat` a notification counts, with `exp` or without. Apple delivers late, and what is refused is
  /// lost, so it is long.
  static let maximumAge = Duration.seconds(7 * 86_400)

  /// The signed token in the body of a request, not verified, so that its key can be looked up.
  ///
  /// - Throws: `ErrorCode.methodNotAllowed`, `ErrorCode.limitExceeded`,
  ///   `ErrorCode.malformed`, `ErrorCode.fieldMissing`.
  public func unverifiedPayload(of request: HTTPRequestValue) throws(JOSEError) -> String {
    guard request.hasMethod("POST") else {
      throw JOSEError(.methodNotAllowed, "the notification must be a POST request")
    }
    guard request.body.count <= Self.maximumByteCount else {
      throw JOSEError(.limitExceeded, "the notification is too long")
    }
    guard let body = try? JSONObject(parsing: request.body) else {
      throw JOSEError(.malformed, "the notification is not a JSON object")
    }
    guard let payload = body["payload"]?.stringValue, !payload.isEmpty else {
      throw JOSEError(.fieldMissing, "the notification has no payload", name: "payload")
    }
    return payload
  }

  /// Verifies a notification's token and returns its events: one, as far as is known.
  ///
  /// A token counts until `exp`, which Apple may leave out, and for seven days after `iat` at most. `event_time` is in
  /// seconds, as Apple documents it, or in milliseconds: a number below 10¹¹ is seconds. A time that is not positive
  /// is refused, and so is one in the future.
  ///
  /// - Throws: `JOSEError`: as ``AppleIdentityTokenVerifier/verify(_:keys:nonce:origin:)`` without the
  ///   nonce, then for `jti` and `events`.
  public func verify(_ payload: String, keys: JWKSet) throws(JOSEError) -> [AppleNotification] {
    try verify(parsed: SignedByApple.parsed(payload, maximumByteCount: Self.maximumByteCount), keys: keys)
  }

  /// Verifies a notification's token that has been taken apart.
  func verify(parsed payload: UnverifiedJWS, keys: JWKSet) throws(JOSEError) -> [AppleNotification] {
    let policy = JWTPolicy(
      issuer: .anyOf([service.issuer]), audience: .anyOf(audiences), requiredClaims: ["iat", "jti", "events"],
      leeway: leeway, maximumAge: Self.maximumAge, clock: clock)
    let verified = try SignedByApple.verify(
      payload, keys: keys, service: service, policy: policy, maximumByteCount: Self.maximumByteCount)
    guard let tokenID = verified.registeredClaims.tokenID, (1...255).contains(tokenID.utf8.count),
      let audience = verified.registeredClaims.audience?.wireNames.first(where: audiences.contains)?.text
    else {
      throw JOSEError(.claimInvalid, "a claim has an illegal type or value", name: "jti")
    }
    guard let events = Self.events(verified.claims["events"]), !events.isEmpty else {
      throw JOSEError(.claimInvalid, "a claim has an illegal type or value", name: "events")
    }
    // A time in another unit would lie far ahead, and outdate all that follows.
    let latest = clock.now.advanced(by: leeway)
    var notifications: [AppleNotification] = []
    for event in events {
      guard let type = event["type"]?.stringValue, type.utf8.count <= 255, let subject = event["sub"]?.stringValue,
        (1...255).contains(subject.utf8.count), let time = Self.time(event["event_time"]), time <= latest
      else {
        throw JOSEError(.claimInvalid, "a claim has an illegal type or value", name: "events")
      }
      notifications.append(
        AppleNotification(
          event: .init(type), subject: subject, eventTime: time, email: event["email"]?.stringValue,
          isPrivateEmail: event["is_private_email"].flatMap(AppleBoolean.read), audience: audience, tokenID: tokenID))
    }
    return notifications
  }

  /// When an event happened. 10¹¹ is the year 5138 in seconds, and 1973 in milliseconds.
  private static func time(_ claim: JSONValue?) -> NumericDate? {
    guard let number = claim?.doubleValue, number > 0 else { return nil }
    return NumericDate(secondsSince1970: number < 100_000_000_000 ? number : number / 1000)
  }

  /// `events` is JSON text in a string; an object or an array of objects is taken as well.
  private static func events(_ claim: JSONValue?) -> [JSONObject]? {
    var value = claim
    if case .string(let text)? = claim {
      value = try? JSONValue(
        parsing: text.utf8,
        limits: JSONLimits(maximumByteCount: 16 * 1024, maximumDepth: 4, maximumMemberCount: 32))
    }
    switch value {
    case .object(let event)?: return [event]
    case .array(let elements)?:
      let events = elements.compactMap(\.objectValue)
      return events.count == elements.count && events.count <= 16 ? events : nil
    default: return nil
    }
  }
}
