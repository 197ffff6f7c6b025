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
  private let verify: @Sendable (_ idToken: String, _ accessToken: String) async throws -> JSONObject

  /// A check.
  ///
  /// - Parameter verify: verifies an ID token's signature, issuer and audience and returns its claims. A token is
  ///   refused by a `JOSEError` about it, as `RemoteJWTVerifier` throws it, or by
  ///   `ErrorCode.identityTokenInvalid`. Any other error says that the check could not look, as does a
  ///   `JOSEError` about keys that can't be had or about `exp`, `nbf` and `iat`.
  public init(verify: @escaping @Sendable (_ idToken: String) async throws -> JSONObject) {
    self.verify = { idToken, _ in try await verify(idToken) }
  }

  /// The same, by a verifier that is given the access token beside the ID token, for its `at_hash`.
  package init(verify: @escaping @Sendable (_ idToken: String, _ accessToken: String) async throws -> JSONObject) {
    self.verify = verify
  }

  /// Whether the ID token among renewed tokens is authentic and about the same login as `original`.
  func verdict(on renewed: TokenAnswer, continuing original: String?) async -> IDTokenVerdict {
    guard let idToken = renewed.idToken else { return .good }
    let claims: JSONObject
    do {
      claims = try await verify(idToken, renewed.accessToken)
    } catch let error as JOSEError {
      return IDTokenVerdict(error)
    } catch let error as OpenIDError where error.code == .identityTokenInvalid {
      return .bad
    } catch {
      return .couldNotLook(.keys)
    }
    guard let original else { return .good }
    return IDTokenContinuation.fault(of: claims, continuing: original) == nil ? .good : .bad
  }
}
