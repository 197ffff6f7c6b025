import JOSE
import StrictJSON

/// A response that is not what a device expects, and the error that says so.
///
/// The error has the status, the form of the body, and `error` and `error_description` of an OAuth error, escaped and
/// cut off. A text that holds a credential of the request is left out: servers are known to echo them. Which error it
/// is does not depend on that.
struct UnexpectedResponse {
  let response: HTTPResponseValue
  /// The credentials of the request; nil if they are not known, so that any text may hold one.
  var withheld: [String]? = []

  /// What the body is.
  private var body: String {
    guard !response.body.isEmpty else { return "no body" }
    let first = response.body.first { ![0x09, 0x0A, 0x0D, 0x20].contains($0) }
    if first == 0x3C { return "an HTML or XML page" }
    if (try? JSONObject(parsing: response.body, limits: OAuthAnswer.limits)) != nil { return "a JSON object" }
    return "a body of \(response.body.count) octets"
  }

  /// Says what came in place of the body that a response of status 200 must have.
  func adding(expected: String, to error: JOSEError) -> JOSEError {
    error.adding(detail: "\(body) came in place of \(expected)")
  }

  /// The members of the body, or an error that says what it is instead.
  func members(expected: String, limits: Limits) throws(JOSEError) -> MessageMembers {
    do throws(JOSEError) {
      return try MessageMembers(parsing: response.body, limits: limits)
    } catch {
      throw adding(expected: expected, to: error)
    }
  }

  /// The error of a response whose status is not 200.
  ///
  /// `OAuthAnswer.verdict(on:)` says whether the server refuses the request. A success of another status than 200 is no
  /// refusal, and neither is a proxy's page.
  ///
  /// - Parameter unanswered: what happened if it is no refusal.
  func notSuccess(_ unanswered: StaticString) -> JOSEError {
    guard case .refused(let code) = OAuthAnswer.verdict(on: response) else {
      return JOSEError(.serverUnavailable, unanswered, detail: detail)
    }
    return JOSEError(
      .serverRefused, "the server refused the request", name: OAuthErrorName.registered(code.text), detail: detail)
  }

  /// The error of a response with an OAuth error and the status of a success; nil for another body. By its status it is
  /// an answer, as everywhere, so it refuses nothing.
  func errorAsAnswer(expected: String) -> JOSEError? {
    guard OAuthAnswer.error(in: response.body) != nil else { return nil }
    return JOSEError(
      .malformed, "the server answers with an error, and with the status of a success",
      detail: addingError(to: "\(body) came in place of \(expected)"))
  }

  /// Status and body, and what the server says of its error.
  var detail: String { addingError(to: "status \(response.status) with \(body) came in place of status 200") }

  private func addingError(to detail: String) -> String {
    var text = detail
    guard let withheld, let (code, members) = OAuthAnswer.error(in: response.body) else { return text }
    for (name, value) in [("error", code.text), ("error_description", members["error_description"]?.stringValue ?? "")]
    where !value.isEmpty && !OAuthAnswer.isEcho(value, of: withheld) {
      text += ", \(name): \(VisibleText.escaped(value))"
    }
    return text
  }
}

extension LoginConfiguration {
  /// What the configuration adds to requests and no error may repeat: keys for an API may be among it.
  var withheldValues: [String] {
    let forms = [
      customNonceRequestValues, customLoginRequestValues, customRefreshRequestValues, customKeyRequestValues,
      customKeyExchangeRequestValues, customFederationUserPreauthenticationRequestValues, additionalHTTPHeaders.fields,
    ]
    let claims = [
      customAssertionRequestClaims, customLoginRequestClaims, customRefreshRequestClaims, customKeyRequestClaims,
      customKeyExchangeRequestClaims,
    ]
    return forms.flatMap { $0.fields.map(\.value).filter(\.mayBeCredential) } + claims.flatMap(\.withheldValues)
  }

  /// The credentials among the claims of a request, which servers may send back.
  func credentials(in claims: JSONObject) -> [String] {
    let names = [
      "password", "assertion", "refresh_token", previousRefreshTokenClaimName, "subject_token", "key_context",
    ]
    var credentials = names.compactMap { claims[$0]?.stringValue }
    if let url = claims["subject_token"]?.stringValue, let callback = try? AuthorizationCallback(received: url) {
      credentials.append(callback.code)
    }
    return credentials
  }
}

extension CustomClaims {
  /// The texts among the claims that no error may repeat.
  var withheldValues: [String] {
    (Self.texts(in: .object(header)) + Self.texts(in: .object(body))).filter(\.mayBeCredential)
  }

  /// Every text in a value, however deep.
  private static func texts(in value: JSONValue) -> [String] {
    switch value {
    case .string(let text): [text]
    case .array(let values): values.flatMap { texts(in: $0) }
    case .object(let object): object.members.flatMap { texts(in: $0.value) }
    default: []
    }
  }
}

extension String {
  /// Whether a configured value is long enough for a credential. `client_info=1`, which one product sends, would
  /// withhold every text with a digit 1 in it.
  fileprivate var mayBeCredential: Bool { utf8.count >= 8 }
}
