import PureCrypto
import JOSE
import OpenIDKit
import StrictJSON

/// A successful answer of the token endpoint, to a code, a refresh token or a token exchange.
///
/// Nothing in it has been verified. Descriptions show no token.
/// Source: RFC 6749 §5.1, RFC 8693 §2.2.1, OpenID Connect Native SSO 1.0.
public struct TokenResponse: Sendable {
  /// `access_token`.
  public var accessToken: String
  /// `token_type`, as written: `Bearer` or `DPoP` in any case.
  public var tokenType: String
  /// `expires_in`: seconds, above 0. If the server does not say, ``assumedLifetime`` is prudent.
  public var expiresIn: Int?
  /// `id_token`.
  public var idToken: String?
  /// `refresh_token`.
  public var refreshToken: String?
  /// `scope`. Absent means: as requested.
  public var scope: String?
  /// `issued_token_type`, of a token exchange.
  public var issuedTokenType: TokenTypeIdentifier?
  /// `device_secret`, or its old alias.
  public var deviceSecret: DeviceSecret?
  /// Why a device secret that was sent must not be used. The rest of the response stands.
  public var deviceSecretProblem: NativeSSOError?

  /// The lifetime, in seconds, to assume for an access token whose response names none.
  public static let assumedLifetime = 300

  /// A response made of its parts.
  public init(
    accessToken: String, tokenType: String = "Bearer", expiresIn: Int? = nil, idToken: String? = nil,
    refreshToken: String? = nil, scope: String? = nil, issuedTokenType: TokenTypeIdentifier? = nil,
    deviceSecret: DeviceSecret? = nil
  ) {
    (self.accessToken, self.tokenType, self.expiresIn) = (accessToken, tokenType, expiresIn)
    (self.idToken, self.refreshToken) = (idToken, refreshToken)
    (self.scope, self.issuedTokenType) = (scope, issuedTokenType)
    self.deviceSecret = deviceSecret
  }

  /// Reads a response body. An optional member that is `null` counts as absent.
  ///
  /// - Parameters:
  ///   - body: of a response with status 200.
  ///   - acceptsAlias: whether `device_token` counts where `device_secret` is absent.
  ///   - limits: bounds on the body: `tokenByteCount`, and as JSON those of claims.
  /// - Throws: `ErrorCode.answerMalformed`, `ErrorCode.unsupportedTokenType`.
  public init(
    parsing body: some Collection<UInt8>, acceptsAlias: Bool = true, limits: Limits = .default
  ) throws(NativeSSOError) {
    guard body.count <= limits.tokenByteCount, let object = try? JSONObject(parsing: body, within: limits.claimsJSON)
    else { throw NativeSSOError(.answerMalformed, "the response is not a JSON object of acceptable size") }
    do throws(TokenResponseFault) {
      let tokens = try RefreshedTokens(object)
      self.init(
        accessToken: tokens.accessToken, tokenType: tokens.tokenType, expiresIn: tokens.expiresIn.map { Int($0) },
        idToken: tokens.idToken, refreshToken: tokens.refreshToken, scope: tokens.scope,
        issuedTokenType: try object.tokenText("issued_token_type").map { TokenTypeIdentifier($0) })
    } catch {
      guard error != .invalid("token_type") else {
        throw NativeSSOError(.unsupportedTokenType, "the token type is neither Bearer nor DPoP", name: "token_type")
      }
      throw NativeSSOError(.answerMalformed, "a member is absent, or not what it must be", name: error.name)
    }
    do throws(NativeSSOError) {
      deviceSecret = try Self.deviceSecret(object, acceptsAlias: acceptsAlias)
      if deviceSecret != nil, idToken == nil {
        throw NativeSSOError(.deviceSecretWithoutIDToken, "a device secret is bound by an ID token, and none came")
      }
    } catch {
      deviceSecret = nil
      deviceSecretProblem = error
    }
  }

  private static func deviceSecret(_ object: JSONObject, acceptsAlias: Bool) throws(NativeSSOError) -> DeviceSecret? {
    let secret = try secret(object["device_secret"])
    guard acceptsAlias, let alias = try self.secret(object["device_token"]) else { return secret }
    guard let secret else { return alias }
    guard secret.isSame(as: alias) else {
      throw NativeSSOError(.deviceSecretAmbiguous, "two different device secrets came", name: "device_token")
    }
    return secret
  }

  private static func secret(_ value: JSONValue?) throws(NativeSSOError) -> DeviceSecret? {
    guard let value, !value.isNull else { return nil }
    guard case .string(let text) = value else {
      throw NativeSSOError(.deviceSecretMalformed, "the device secret is not a string", name: "device_secret")
    }
    return try DeviceSecret(text)
  }

  /// The body as a provider sends it.
  public var jsonObject: JSONObject {
    var object: JSONObject = ["access_token": .string(accessToken)]
    if let issuedTokenType { object["issued_token_type"] = .string(issuedTokenType.description) }
    object["token_type"] = .string(tokenType)
    if let expiresIn { object["expires_in"] = .number(JSONNumber(expiresIn)) }
    if let scope { object["scope"] = .string(scope) }
    if let refreshToken { object["refresh_token"] = .string(refreshToken) }
    if let idToken { object["id_token"] = .string(idToken) }
    if let deviceSecret { object["device_secret"] = .string(deviceSecret.reveal()) }
    return object
  }

  /// The HTTP response, which no cache keeps.
  public var response: HTTPResponseValue { HTTPResponseValue(status: 200, json: jsonObject) }
}

extension TokenResponse: Redacted {}
