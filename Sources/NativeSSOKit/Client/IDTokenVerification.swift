import JOSE
import PureCrypto
import StrictJSON

/// Verifies the ID tokens that a client receives.
///
/// Source: OpenID Connect Core 1.0 §3.1.3.7, §3.1.3.8.
struct IDTokenVerification: Sendable {
  let configuration: NativeSSOClientConfiguration

  /// Verifies the token of a login or of an exchange.
  func verify(
    _ token: String, answering request: IDTokenRequest
  ) async throws(JOSEError) -> VerifiedJWT<JSONObject> {
    let token = try supported(token)
    do throws(JOSEError) {
      return try await verify(token, answering: request)
    } catch {
      throw JOSEError(idToken: error)
    }
  }

  /// Verifies the token of a refresh.
  func renewed(_ token: String, accessToken: String) async throws(JOSEError) -> VerifiedJWT<JSONObject> {
    var request = IDTokenRequest.refresh
    request.accessToken = accessToken
    return try await verify(UnverifiedJWS(parsing: token), answering: request)
  }

  /// The token taken apart. Says clearly what can't be checked here at all, before it looks like a forgery.
  private func supported(_ token: String) throws(JOSEError) -> UnverifiedJWS {
    let unverified: UnverifiedJWS
    do throws(JOSEError) {
      unverified = try UnverifiedJWS(parsing: token)
    } catch {
      guard (try? UnverifiedJWE(parsing: token)) == nil else {
        throw JOSEError(.encryptedIDToken, "an encrypted ID token can't serve other apps")
      }
      throw JOSEError(idToken: error)
    }
    let name = unverified.unverifiedHeader.algorithm
    if SignatureAlgorithm(name: name) == nil, !name.hasSameBytesIgnoringASCIICase(as: "none") {
      throw JOSEError(.algorithmUnsupported, "the ID token's signature algorithm is not implemented", name: "alg")
    }
    return unverified
  }

  private func verify(
    _ token: UnverifiedJWS, answering request: IDTokenRequest
  ) async throws(JOSEError) -> VerifiedJWT<JSONObject> {
    var policy = JWTPolicy.idToken(
      from: .openID(issuer: configuration.metadata.issuer), clientID: configuration.clientID, answering: request,
      clock: configuration.clock)
    policy.leeway = configuration.leeway
    var isRefreshing = false
    while true {
      guard let keys = try? await configuration.keys(isRefreshing) else {
        throw JOSEError(.externalKeyFailed, "the provider's keys are not available", name: "jwks_uri")
      }
      do throws(JOSEError) {
        return try JWTVerifier(keys: keys, algorithms: SignatureAlgorithm.asymmetric, policy: policy).verify(
          parsed: token)
      } catch {
        // A provider that has just rotated its keys is asked once for the new ones.
        guard error.code == .keyNotFound, !isRefreshing else { throw error }
        isRefreshing = true
      }
    }
  }
}
