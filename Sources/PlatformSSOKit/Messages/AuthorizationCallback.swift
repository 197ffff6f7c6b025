import JOSE
import PureCrypto

/// The URL that the browser came back with after web-based authentication (macOS 27), and the code in it. It is good
/// for one login.
public struct AuthorizationCallback: Sendable {
  /// The URL as it came: `subject_token` of the login request.
  public let url: String
  /// `code`: the provider's proof that the user has logged in, within ``url``. Secret, and good once.
  public let code: String
  /// `state`, if the URL has one.
  public let state: String?

  /// Takes the URL apart and checks that it answers a request.
  ///
  /// Timing: does not depend on where a wrong `state` differs.
  /// - Throws: `ErrorCode.fieldInvalid` for another address, a fragment, a query that is not a form or a
  ///   name that is there twice; `ErrorCode.authorizationRefused` for an `error`;
  ///   `ErrorCode.stateMismatch`; `ErrorCode.fieldMissing` without a `code`.
  public init(url: String, answering request: WebAuthorizationRequest) throws(JOSEError) {
    try self.init(url: url, expectedState: request.state)
  }

  package init(url: String, expectedState: String?) throws(JOSEError) {
    let fields = try Self.fields(url)
    // The state comes first: only the answer to this request may say that it failed.
    // An empty one answers no request: everybody knows it.
    let state = fields.values("state").first
    guard state?.isEmpty != true, expectedState?.isEmpty != true,
      ConstantTime.equal(Array((state ?? "").utf8), Array((expectedState ?? "").utf8))
    else {
      throw JOSEError(.stateMismatch, "the callback does not answer this request", name: "state")
    }
    try self.init(url: url, fields: fields)
  }

  /// Takes apart a URL that a device sent.
  package init(received url: String) throws(JOSEError) {
    let fields = try Self.fields(url)
    guard fields.values("state").first?.isEmpty != true else {
      throw JOSEError(.fieldInvalid, "the callback's state is empty", name: "state")
    }
    try self.init(url: url, fields: fields)
  }

  private init(url: String, fields: FormFields) throws(JOSEError) {
    guard fields.values("error").isEmpty else {
      throw JOSEError(.authorizationRefused, "the browser came back with an error", name: "error")
    }
    guard let code = fields.values("code").first, !code.isEmpty else {
      throw JOSEError(.fieldMissing, "the callback has no code", name: "code")
    }
    self.url = url
    self.code = code
    state = fields.values("state").first
  }

  /// The query's fields, none of them twice.
  private static func fields(_ url: String) throws(JOSEError) -> FormFields {
    guard let uri = try? URIComponents(parsing: url), uri.isPlatformSSOCallback,
      let fields = try? FormFields(decoding: (uri.query ?? "").utf8)
    else {
      throw JOSEError(.fieldInvalid, "the callback URL must have a query without duplicate fields", name: "url")
    }
    return fields
  }
}

extension AuthorizationCallback: Redacted {}
