import PureCrypto
import JOSE
import StrictJSON

/// An error response of the token endpoint: what a provider sends and what a client reads.
///
/// Source: RFC 6749 §5.2.
public struct OAuthErrorResponse: SuppliedFailure, Sendable, Hashable, Redacted {
  /// `error`: the registered code, by which clients decide what to do (RFC 6749 §5.2).
  public var code: OAuthErrorCode

  /// `error_description`, for logs. Control flow never depends on it.
  public var text: String?

  /// `error_uri`, for logs.
  package var uri: String?

  /// The HTTP status. Clients ignore it and read ``code``.
  public var status: Int

  /// How long to wait, from `Retry-After`.
  package var retryAfter: Duration?

  /// What a provider refuses with.
  ///
  /// - Parameters:
  ///   - code: `error`, the one thing by which clients decide.
  ///   - text: a fixed sentence, which therefore can't hold a credential.
  ///   - status: of HTTP. RFC 6749 has 400 for all but a failed client authentication, which is 401.
  ///   - uri: a page about the error; nil for none.
  ///   - retryAfter: how long until another attempt may succeed, sent as whole seconds, rounded up; nil says nothing
  ///     about it.
  public init(
    _ code: OAuthErrorCode, _ text: StaticString, status: Int = 400, uri: String? = nil, retryAfter: Duration? = nil
  ) {
    self.code = code
    self.text = "\(text)"
    self.uri = uri
    self.status = status
    self.retryAfter = retryAfter
  }

  /// Reads an error response, or nil for anything but a refusal and the word of a server that is too busy.
  ///
  /// - Parameters:
  ///   - response: of any status. One of 429 counts as `slow_down`, whatever its body.
  ///   - withheld: credentials of the request. Servers are known to echo them; a text that holds one is dropped.
  ///   - now: what `Retry-After` counts from if it is a date and the server does not say its own.
  package init?(
    _ response: HTTPResponseValue, withholding withheld: [String] = [], at now: NumericDate = WallClock.system.now
  ) {
    let code: String
    switch OAuthAnswer.verdict(on: response) {
    case .refused(let error), .busy(let error): code = error.text
    case .answer, .unusable, .unanswered: return nil
    }
    let members = OAuthAnswer.error(in: response.body)?.members
    // A log of the error shows its code.
    self.code = OAuthErrorCode(OAuthAnswer.isEcho(code, of: withheld) ? "" : code)
    status = response.status
    text = Self.harmless(members?["error_description"], withholding: withheld)
    uri = Self.harmless(members?["error_uri"], withholding: withheld)
    retryAfter = response.headers.retryAfter(now: now).map { .seconds(min($0.inSeconds.rounded(.up), 1e9)) }
  }

  private static func harmless(_ value: JSONValue?, withholding withheld: [String]) -> String? {
    guard case .string(let text)? = value, text.utf8.count <= 512, text.utf8.allSatisfy(\.mayStandInErrorText),
      !OAuthAnswer.isEcho(text, of: withheld)
    else { return nil }
    return text
  }

  /// What an endpoint answers where it failed with an error: an error alone, never a token, and no reason by which one
  /// refused grant could be told from another.
  package init(_ error: OpenIDError) {
    switch error.code {
    case .invalidGrant: self.init(.invalidGrant, "The grant is not valid")
    case .invalidScope: self.init(.invalidScope, "The scope is not valid")
    case .invalidTarget: self.init(.invalidTarget, "The resource is not valid")
    case .invalidClient: self.init(.invalidClient, "Client authentication failed", status: 401)
    case .unsupportedGrantType: self.init(.unsupportedGrantType, "The grant type is not supported")
    case .invalidRequest: self = .malformed
    case .storeUnavailable: self = .unavailable
    case .tooManyRequests:
      self.init(.slowDown, "Too many requests", status: 429, retryAfter: error.retryAfter ?? .seconds(1))
    case .temporarilyUnavailable:
      self = .unavailable
      if let pause = error.retryAfter { retryAfter = pause }
    default: self = .serverFault
    }
  }

  /// The response as a provider sends it. A client that used the `Authorization` field and was not authenticated learns
  /// that the scheme is `Basic`, and no other does (RFC 6749 §5.2).
  ///
  /// - Parameter request: what is answered.
  public func response(to request: HTTPRequestValue) -> HTTPResponseValue {
    var members: JSONObject = [:]
    if let text { members["error_description"] = .string(text) }
    if let uri { members["error_uri"] = .string(uri) }
    return .oauthError(status, code.description, members, retryAfter: retryAfter, to: request)
  }

  /// The code alone, if it is a known one: a server chose the texts.
  public var description: String { "OAuthErrorResponse(\(status) \(code.debugDescription))" }
}

extension OAuthErrorResponse {
  package static var supplied: OAuthErrorResponse { unavailable }

  /// The request is not a legal form.
  package static var malformed: OAuthErrorResponse {
    OAuthErrorResponse(.invalidRequest, "The request is malformed")
  }

  /// A store or a key can't be used now: the client comes again.
  package static var unavailable: OAuthErrorResponse {
    OAuthErrorResponse(
      .temporarilyUnavailable, "The server can't answer now", status: 503,
      retryAfter: HTTPResponseValue.unavailablePause)
  }

  /// A fault inside the provider.
  package static var serverFault: OAuthErrorResponse {
    OAuthErrorResponse(.serverError, "The server could not process the request", status: 500)
  }
}
