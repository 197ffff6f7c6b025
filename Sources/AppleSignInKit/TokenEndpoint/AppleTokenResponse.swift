import PureCrypto
import JOSE
import StrictJSON

/// The answer of the token endpoint.
public struct AppleTokenResponse: Sendable {
  /// `access_token`.
  public let accessToken: String
  /// `expires_in`, in seconds.
  public let expiresIn: Double
  /// `refresh_token`. Absent in answers to a refresh: the old one stays good.
  public let refreshToken: String?
  /// `id_token`. Not verified: give it to ``AppleIdentityTokenVerifier``.
  public let unverifiedIdentityToken: String?
  /// What ``unverifiedIdentityToken`` says, after ``AppleSignInClient/refresh(_:subject:nonce:)`` has verified it.
  public internal(set) var identity: AppleIdentity?

  /// Reads the answer to a request for a code.
  ///
  /// - Throws: `ErrorCode.serverRefused` with the error code as its name;
  ///   `ErrorCode.serverUnavailable`; `ErrorCode.malformed`,
  ///   `ErrorCode.fieldMissing`, `ErrorCode.fieldInvalid`. See
  ///   ``AppleTokenRecovery`` for what to do.
  public static func receive(
    _ response: HTTPResponseValue, to request: AppleTokenRequest
  ) throws(SignInWithAppleError) -> AppleTokenResponse {
    let object = try AppleServerResponse.object(of: response)
    guard let accessToken = try object.parameter("access_token", \.stringValue), OAuthAnswer.isHeaderText(accessToken)
    else {
      throw missing("access_token")
    }
    guard let type = try object.parameter("token_type", \.stringValue) else { throw missing("token_type") }
    guard OAuthAnswer.isType(type, among: "bearer") else {
      throw SignInWithAppleError(.fieldInvalid, "the access token is of another type", name: "token_type")
    }
    guard let expiresIn = try object.parameter("expires_in", \.doubleValue), expiresIn >= 0 else {
      throw missing("expires_in")
    }
    let refreshToken = try object.parameter("refresh_token", \.stringValue)
    let identityToken = try object.parameter("id_token", \.stringValue)
    if case .authorizationCode = request.grant {
      guard refreshToken != nil else { throw missing("refresh_token") }
      guard identityToken != nil else { throw missing("id_token") }
    }
    return AppleTokenResponse(
      accessToken: accessToken, expiresIn: expiresIn, refreshToken: refreshToken,
      unverifiedIdentityToken: identityToken)
  }

  private static func missing(_ name: String) -> SignInWithAppleError {
    SignInWithAppleError(.fieldMissing, "the answer lacks a member", name: name)
  }
}

extension AppleTokenResponse: Redacted {}

/// Answers of the service's token and revocation endpoints.
enum AppleServerResponse {
  /// The JSON object of a 200 answer.
  ///
  /// - Throws: as ``AppleTokenResponse/receive(_:to:)``.
  static func object(of response: HTTPResponseValue) throws(SignInWithAppleError) -> JSONObject {
    try requireSuccess(response)
    guard let object = parse(response.body) else {
      throw SignInWithAppleError(.malformed, "the answer is not a JSON object")
    }
    return object
  }

  /// - Throws: `ErrorCode.serverRefused`, `ErrorCode.serverUnavailable`.
  static func requireSuccess(_ response: HTTPResponseValue) throws(SignInWithAppleError) {
    guard response.status != 200 else { return }
    let isRefusal = (400...499).contains(response.status) && response.status != 429 && response.status != 408
    guard isRefusal, let error = parse(response.body)?["error"]?.stringValue else {
      throw SignInWithAppleError(.serverUnavailable, "the server is at fault or too busy")
    }
    throw SignInWithAppleError(
      .serverRefused, "the server refused the request", name: OAuthErrorName.registered(error))
  }

  private static func parse(_ body: [UInt8]) -> JSONObject? {
    try? JSONObject(
      parsing: body,
      limits: JSONLimits(maximumByteCount: 64 * 1024, maximumDepth: 8, maximumMemberCount: 64))
  }
}

extension JSONObject {
  /// A member that must have its type if it is present.
  ///
  /// - Throws: `ErrorCode.fieldInvalid`.
  func parameter<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws(SignInWithAppleError) -> Value? {
    guard let value = self[name] else { return nil }
    guard let parameter = read(value) else {
      throw SignInWithAppleError(.fieldInvalid, "a member has another type than it must have", name: name)
    }
    return parameter
  }
}
