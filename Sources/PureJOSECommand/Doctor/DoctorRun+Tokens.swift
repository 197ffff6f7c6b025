import JOSE
import PlatformSSOKit

/// What the answers of a day have said of the user and the login.
struct SeenTokens: Sendable {
  /// `uniqueIdentifierClaimName` of each ID token: for macOS, who the user is.
  var users: [String] = []
  /// The refresh tokens of logins alone.
  var ofLogins: [String] = []
}

extension DoctorRun {
  private static let refreshSource = "Apple, Creating a refresh request"
  private static let tokenSource = "Apple, Processing the JWE login response"

  /// Keeps what an answer says of user and login.
  mutating func keep(_ tokens: LoginResponse, of kind: DeviceRequest.Message) {
    if !tokens.refreshToken.isEmpty {
      refreshToken = tokens.refreshToken
      if kind == .login { seen.ofLogins.append(tokens.refreshToken) }
    }
    let claims = (try? UnverifiedJWS(parsing: tokens.idToken))?.unverifiedClaims
    if let user = claims?[device.configuration.uniqueIdentifierClaimName]?.stringValue { seen.users.append(user) }
  }

  /// How long login and ID token last.
  ///
  /// - Parameter isJudged: whether nothing is wrong with the ID token otherwise.
  mutating func recordLifetimes(of tokens: LoginResponse, _ kind: DeviceRequest.Message, isJudged: Bool) {
    let name = Self.name(kind)
    let claims = (try? UnverifiedJWS(parsing: tokens.idToken))?.unverifiedClaims
    if isJudged, let end = claims?["exp"]?.doubleValue {
      let seconds = Int((end - device.clock.now.secondsSince1970).rounded())
      record(
        "\(name): life of the ID token", seconds < 30 ? .wrong : seconds < 60 ? .lenient : .right, "\(seconds) s",
        rule: "a minute at least, for a Mac that answers late or whose clock is off", source: Self.tokenSource)
    }
    guard let life = tokens.sessionLifetime?.inSeconds, kind == .login else { return }
    let canRefresh = device.configuration.refreshEndpointURL != nil
    let frequency = subject.profile?["LoginFrequency"].flatMap { $0.jsonValue.doubleValue } ?? 64_800
    // A Mac renews tokens that are four hours old, and asks the user where they have ended before.
    let wanted = canRefresh ? 14_400 : min(14_400, frequency)
    record(
      "login: life of the session", life < wanted ? .lenient : .right,
      "\(Int(life)) s\(canRefresh ? "" : ", and no refresh endpoint"), LoginFrequency \(Int(frequency)) s",
      rule: "refresh_token_expires_in, else expires_in, is four hours at least: else the user is asked sooner than "
        + "LoginFrequency says", source: Self.refreshSource)
  }

  // MARK: Rotation

  /// A refresh token that is replaced, and the one before, whose answer may have been lost.
  mutating func rotation() async {
    let rule = "a refresh brings a new token, so that a copied one is noticed"
    guard let before = refreshToken else { return }
    do {
      let asked = try made(.refresh, nonces: await nonces())
      _ = open(try await transport.send(asked.request.httpRequest), to: asked)
      guard let after = refreshToken, after != before else {
        return record(
          "refresh: a new token", .lenient, "the same again", rule: rule, source: "RFC 9700 §4.14", cause: "rotation")
      }
      record("refresh: a new token", .right, "a new one", rule: rule, source: "RFC 9700 §4.14", cause: "rotation")
      refreshToken = before
      let again = try made(.refresh, nonces: await nonces())
      let response = try await transport.send(again.request.httpRequest)
      let isAnswered = response.status == 200
      record(
        "refresh: the token before, at once", isAnswered ? .right : .lenient,
        isAnswered ? "answered" : "refused, \(response.status)",
        rule: "it is good for a while: the answer may have been lost, and key requests use it at the same time",
        source: "RFC 9700 §4.14.2", cause: "rotation")
      if isAnswered { _ = open(response, to: again) } else { refreshToken = after }
      try await logInAnew(unless: isAnswered)
    } catch {
      record("refresh: a new token", .wrong, Self.described(error), rule: rule, source: "RFC 9700 §4.14")
    }
  }

  /// A server that takes a token of before for a theft ends the login.
  private mutating func logInAnew(unless isGood: Bool) async throws {
    guard !isGood else { return }
    let asked = try made(.login, nonces: await nonces())
    _ = open(try await transport.send(asked.request.httpRequest), to: asked)
  }

  // MARK: What was seen

  /// What must be the same in all answers, and what must not.
  mutating func recordSeenTokens() {
    let claim = device.configuration.uniqueIdentifierClaimName
    if seen.users.count > 1 {
      let count = seen.users.firstOfEach.count
      record(
        "tokens: one user", count == 1 ? .right : .wrong,
        count == 1 ? "the same \(claim)" : "\(count) values of \(claim)",
        rule: "\(claim) is the user's for ever, at logins and refreshes alike", source: Self.tokenSource)
    }
    if seen.ofLogins.count > 1 {
      let isSame = seen.ofLogins.firstOfEach.count == 1
      record(
        "tokens: refresh tokens of two logins", isSame ? .wrong : .right, isSame ? "the same" : "different",
        rule: "each login has a token of its own that cannot be guessed", source: "RFC 6749 §10.4")
    }
  }

  /// Whether the answer to an unknown user tells that there is none.
  mutating func recordRefusals() {
    guard let known = refusals[DoctorMutations.wrongPassword], let unknown = refusals[DoctorMutations.unknownUser]
    else {
      return
    }
    func shown(_ response: HTTPResponseValue) -> String {
      let body = try? JSONObject(parsing: response.body)
      let texts = ["error", "error_description", "suberror", "errorCode", "message"].compactMap {
        body?[$0]?.stringValue
      }
      return ([String(response.status)] + texts).joined(separator: " ")
    }
    let (one, other) = (shown(known), shown(unknown))
    record(
      "login: unknown user", one == other ? .right : .lenient,
      one == other ? "as a wrong password, \(one)" : "\(other); a wrong password: \(one)",
      rule: "an unknown user is refused as a wrong password is: else users can be tried out",
      source: "OWASP ASVS 4.0 §2.2", cause: "unknown user")
  }

  /// What all refusals together have said.
  mutating func recordErrorTexts() {
    let (traces, secrets) = (transport.traces, transport.toldSecrets)
    record(
      "errors: nothing of the server's inside", traces.isEmpty ? .right : .lenient, traces.first ?? "none",
      rule: "no stack, path, query or name of a class in what is sent out", source: "OWASP ASVS 4.0 §7.4")
    record(
      "errors: nothing secret", secrets.isEmpty ? .right : .wrong, secrets.first ?? "none",
      rule: "no password and no token of the request in what is sent out", source: "OWASP ASVS 4.0 §7.1")
  }
}
