import JOSE
import StrictJSON

/// Checks the ID token that comes with a refresh.
///
/// A check has three answers: the token is good, it is bad, or the check could not look, because the keys can't be
/// fetched or a clock is wrong. The third ends no login: the new tokens are kept, none is handed out, and the check is
/// made again with a later call.
///
/// Source: OpenID Connect Core 1.0 §12.2.
public struct IDTokenCheck: Sendable {
  private let verify: @Sendable (String) async throws -> JSONObject

  /// A check.
  ///
  /// - Parameter verify: verifies an ID token's signature, issuer and audience and returns its claims. A token is
  ///   refused by a `JOSEError` about it, as `RemoteJWTVerifier` throws it, or by
  ///   ``TokenRefreshErrorCode/identityTokenInvalid``. Any other error says that the check could not look, as does a
  ///   `JOSEError` about keys that can't be had or about `exp`, `nbf` and `iat`.
  public init(verify: @escaping @Sendable (_ idToken: String) async throws -> JSONObject) {
    self.verify = verify
  }

  /// Whether `renewed` is authentic and about the same login as `original`.
  func verdict(on renewed: String, continuing original: String?) async -> IDTokenVerdict {
    let claims: JSONObject
    do {
      claims = try await verify(renewed)
    } catch let error as JOSEError {
      return IDTokenVerdict(error)
    } catch let error as TokenRefreshError where error.code == .identityTokenInvalid {
      return .bad
    } catch {
      return .couldNotLook(.keys)
    }
    // The original was verified when it came and has been in the store since; it may have expired.
    guard let original else { return .good }
    guard let payload = try? UnverifiedToken(parsing: original).unverifiedPayload,
      let originalClaims = try? JSONObject(parsing: payload)
    else { return .bad }
    return Self.continues(originalClaims, claims) ? .good : .bad
  }

  /// The rules: same issuer, subject, audience in whatever order, and authorized party; the time of the login, if both name it, the same;
  /// the nonce absent or unchanged.
  static func continues(_ original: JSONObject, _ renewed: JSONObject) -> Bool {
    for name in ["iss", "sub"] {
      guard let value = renewed[name]?.stringValue, let before = original[name]?.stringValue,
        value.hasSameBytes(as: before)
      else { return false }
    }
    guard let audience = audience(renewed), let before = Self.audience(original),
      audience.allSatisfy(before.contains), before.allSatisfy(audience.contains)
    else { return false }
    guard renewed["azp"] == original["azp"] else { return false }
    if let time = renewed["auth_time"] {
      guard let seconds = time.doubleValue, seconds == original["auth_time"]?.doubleValue ?? seconds else {
        return false
      }
    }
    if let nonce = renewed["nonce"] { return nonce == original["nonce"] }
    return true
  }

  private static func audience(_ claims: JSONObject) -> [JSONValue]? {
    switch claims["aud"] {
    case .string(let name)?: [.string(name)]
    case .array(let names)?: names
    default: nil
    }
  }
}
