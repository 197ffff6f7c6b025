import PureCrypto
import JOSE
import StrictJSON

/// An error response of the token endpoint: what a provider sends and what a client reads.
///
/// Source: RFC 6749 §5.2.
public struct OAuthErrorResponse: Error, Sendable, Hashable, Redacted {
  /// `error`.
  public var code: OAuthErrorCode

  /// `error_description`, for logs. Control flow never depends on it.
  public var text: String?

  /// `error_uri`, for logs.
  public var uri: String?

  /// The HTTP status. Clients ignore it and read ``code``.
  public var status: Int

  /// Seconds to wait, from `Retry-After`.
  public var retryAfter: Int?

  /// What a provider refuses with.
  ///
  /// - Parameters:
  ///   - code: `error`, the one thing by which clients decide.
  ///   - text: a fixed sentence, which therefore can't hold a credential.
  ///   - status: of HTTP. RFC 6749 has 400 for all but a failed client authentication, which is 401.
  ///   - uri: a page about the error; nil for none.
  ///   - retryAfter: seconds until another attempt may succeed; nil says nothing about it.
  public init(
    _ code: OAuthErrorCode, _ text: StaticString, status: Int = 400, uri: String? = nil, retryAfter: Int? = nil
  ) {
    self.code = code
    self.text = "\(text)"
    self.uri = uri
    self.status = status
    self.retryAfter = retryAfter
  }

  /// Reads an error response, or nil if the response is none: no JSON object whose `error` is written as OAuth's codes
  /// are.
  ///
  /// - Parameters:
  ///   - response: of any status: what is not an error response is told by its body.
  ///   - withheld: credentials of the request. Servers are known to echo them; a text that holds one is dropped.
  public init?(_ response: HTTPResponseValue, withholding withheld: [String] = []) {
    self.init(response, withholding: withheld, at: WallClock.system.now)
  }

  /// The same for a response that came at a time, which dates count from if the server does not say its own.
  init?(_ response: HTTPResponseValue, withholding withheld: [String], at now: NumericDate) {
    guard let object = try? JSONObject(parsing: response.body, within: Limits.default.headerJSON),
      let code = OAuthAnswer.errorCode(in: response.body)
    else { return nil }
    // A log of the error shows its code.
    self.code = OAuthErrorCode(Self.isEcho(code, of: withheld) ? "" : code)
    status = response.status
    text = Self.harmless(object["error_description"], withholding: withheld)
    uri = Self.harmless(object["error_uri"], withholding: withheld)
    retryAfter = response.headers.retryAfter(now: now.secondsSince1970).map {
      Int(min($0.rounded(.up), 1e9))
    }
  }

  private static func harmless(_ value: JSONValue?, withholding withheld: [String]) -> String? {
    guard case .string(let text)? = value, text.utf8.count <= 512, text.utf8.allSatisfy(\.mayStandInErrorText),
      !isEcho(text, of: withheld)
    else { return nil }
    return text
  }

  /// Whether a text holds a credential, as it is or as a form has it.
  private static func isEcho(_ text: String, of withheld: [String]) -> Bool {
    withheld.contains { credential in
      guard !credential.isEmpty else { return false }
      let encoded = FormFields([("", credential)]).encoded().dropFirst()
      return text.utf8.containsRun(credential.utf8) || text.utf8.containsRun(encoded)
    }
  }

  /// The response as a provider sends it.
  public var response: HTTPResponseValue {
    var object: JSONObject = ["error": .string(code.description)]
    if let text { object["error_description"] = .string(text) }
    if let uri { object["error_uri"] = .string(uri) }
    var response = HTTPResponseValue(status: status, json: object)
    if let retryAfter { response.headers.setKnown("Retry-After", String(retryAfter)) }
    return response
  }

  /// The code alone, if it is a known one: a server chose the texts.
  public var description: String { "OAuthErrorResponse(\(status) \(code.debugDescription))" }
}

extension Collection where Element: Equatable {
  /// Whether `run` occurs in this collection. Both are short.
  func containsRun(_ run: some Collection<Element>) -> Bool {
    var rest = self[...]
    while rest.count >= run.count {
      if rest.starts(with: run) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}

extension HTTPHeaderFields {
  /// Sets a field of this package's own making, whose name and value are legal.
  package mutating func setKnown(_ name: String, _ value: String) {
    try? set(name, value)
  }
}

extension HTTPResponseValue {
  /// A JSON response that no cache keeps.
  package init(status: Int, json: JSONObject) {
    self.init(status: status, body: json.serialized())
    headers.setKnown("Content-Type", MediaType.json)
    headers.setKnown("Cache-Control", "no-store")
    headers.setKnown("Pragma", "no-cache")
  }
}
