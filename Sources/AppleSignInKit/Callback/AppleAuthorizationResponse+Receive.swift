import JOSE
import PureCrypto
import StrictJSON

extension AppleAuthorizationResponse {
  /// Reads the response to a pending sign-in from the HTTP request that brought it.
  ///
  /// For `query`, a GET with the parameters in its address; for `form_post` and for `fragment`, whose parameters the
  /// page's script has to post, a POST with a form. `state` is judged before anything else is looked at, `error`
  /// included.
  ///
  /// - Parameters:
  ///   - request: as it came. Nothing in it is trusted before `state` is the sign-in's.
  ///   - pending: the sign-in of this browser.
  ///   - clock: the one that dated `pending`: ten minutes after that the answer is too late.
  /// - Throws: in this order `ErrorCode.methodNotAllowed`,
  ///   `ErrorCode.contentTypeInvalid`, `ErrorCode.limitExceeded`,
  ///   `ErrorCode.malformed`, `ErrorCode.fieldDuplicated`,
  ///   `ErrorCode.stateMissing`, `ErrorCode.stateMismatch`,
  ///   `ErrorCode.signInExpired`, `ErrorCode.responseAmbiguous`,
  ///   `ErrorCode.authorizationRefused`, `ErrorCode.authorizationCodeInvalid`,
  ///   `ErrorCode.identityTokenMissing`.
  package static func receive(
    _ request: HTTPRequestValue, for pending: ApplePendingSignIn, clock: WallClock = .system
  ) throws(JOSEError) -> AppleAuthorizationOutcome {
    let parameters = try AppleCallbackParameters(request, mode: pending.responseMode)
    try parameters.requireState(of: pending)
    return try outcome(of: parameters, for: pending, clock: clock)
  }

  /// Reads the response to a pending sign-in from the event object of Apple's page script, which carries `user` as an
  /// object.
  ///
  /// - Throws: as ``receive(_:for:clock:)``.
  package static func receive(
    scriptEvent json: some Collection<UInt8>, for pending: ApplePendingSignIn, clock: WallClock = .system
  ) throws(JOSEError) -> AppleAuthorizationOutcome {
    let limits = JSONLimits(
      maximumByteCount: maximumByteCount, maximumDepth: 4, maximumMemberCount: 32, maximumElementCount: 64)
    guard let event = try? JSONObject(parsing: json, limits: limits),
      let authorization = event["authorization"]?.objectValue
    else { throw JOSEError(.malformed, "not the page script's event") }
    var parameters = AppleCallbackParameters()
    parameters.code = authorization["code"]?.stringValue
    parameters.identityToken = authorization["id_token"]?.stringValue
    parameters.state = authorization["state"]?.stringValue
    parameters.user = event["user"]?.objectValue.flatMap { AppleUser($0) }
    try parameters.requireState(of: pending)
    return try outcome(of: parameters, for: pending, clock: clock)
  }

  /// The largest body or query, in octets.
  static let maximumByteCount = 64 * 1024

  /// Seconds after which a sign-in can't be answered any more.
  static let maximumAge = 600.0

  /// How an authorization ended, by parameters whose `state` is the sign-in's.
  static func outcome(
    of parameters: AppleCallbackParameters, for pending: ApplePendingSignIn, clock: WallClock
  ) throws(JOSEError) -> AppleAuthorizationOutcome {
    let age = clock.now.secondsSince1970 - pending.startedAt.secondsSince1970
    guard age <= maximumAge, age >= -60 else {
      throw JOSEError(.signInExpired, "the sign-in began too long ago")
    }
    if let error = parameters.error {
      guard parameters.code == nil else {
        throw JOSEError(.responseAmbiguous, "the response has both a code and an error", name: "error")
      }
      if WireName(error) == "user_cancelled_authorize" { return .cancelled }
      throw JOSEError(
        .authorizationRefused, "the authorization was refused", name: OAuthErrorName.registered(error))
    }
    guard let code = parameters.code, code.isVisibleASCII(upTo: 1024) else {
      throw JOSEError(.authorizationCodeInvalid, "the response has no usable code", name: "code")
    }
    guard pending.responseType == .codeAndIdentityToken else {
      return .authorized(
        AppleAuthorizationResponse(code: code, unverifiedIdentityToken: nil, user: parameters.user))
    }
    guard let token = parameters.identityToken, !token.isEmpty else {
      throw JOSEError(.identityTokenMissing, "the response has no identity token", name: "id_token")
    }
    return .authorized(
      AppleAuthorizationResponse(code: code, unverifiedIdentityToken: token, user: parameters.user))
  }
}

/// The parameters of an authorization response, each at most once, none of them judged.
struct AppleCallbackParameters: Sendable {
  var code: String?
  var identityToken: String?
  var state: String?
  var error: String?
  var user: AppleUser?

  /// Their names.
  static let names: [WireName] = ["code", "id_token", "state", "error", "user"]

  init() {}

  /// Reads a callback that comes in this mode.
  init(_ request: HTTPRequestValue, mode: AppleResponseMode) throws(JOSEError) {
    let limit = AppleAuthorizationResponse.maximumByteCount
    if mode == .query {
      guard request.hasMethod("GET") else {
        throw JOSEError(.methodNotAllowed, "the callback must be a GET request")
      }
      self.init(try FormBody.received(request.query, limit: limit))
    } else {
      try FormBody.requirePost(of: request)
      self.init(try FormBody.received(request.body, limit: limit))
    }
  }

  private init(_ fields: FormBody) {
    code = fields["code"]
    identityToken = fields["id_token"]
    state = fields["state"]
    error = fields["error"]
    user = fields["user"].flatMap { AppleUser(parsing: $0) }
  }

  /// Requires the sign-in's `state`. Nothing else may be looked at before.
  ///
  /// Timing: compares in constant time.
  func requireState(of pending: ApplePendingSignIn) throws(JOSEError) {
    guard let state, !state.isEmpty else {
      throw JOSEError(.stateMissing, "the response has no state", name: "state")
    }
    guard ConstantTime.equal(Array(state.utf8), Array(pending.state.utf8)) else {
      throw JOSEError(.stateMismatch, "the state is not this browser's", name: "state")
    }
  }
}
