import JOSE

extension TokenEndpoint {
  /// One of a token endpoint's grants: its name on the wire, and what answers it.
  public struct Grant: Sendable {
    let type: WireName
    let repeatable: [WireName]
    let answer: @Sendable (Request) async throws -> TokenAnswer

    /// A grant.
    ///
    /// - Parameters:
    ///   - type: `grant_type`.
    ///   - repeatable: the fields that may occur more than once; those of RFC 8707 and RFC 8693 by default.
    ///   - answer: makes the tokens. It refuses by an ``OAuthErrorResponse``, or by an ``OpenIDError``; for anything
    ///     else that it throws, the client is told `server_error`.
    public init(
      _ type: String, repeatable: [String] = ["resource"],
      answer: @escaping @Sendable (Request) async throws -> TokenAnswer
    ) {
      (self.type, self.repeatable, self.answer) = (WireName(type), repeatable.wireNames, answer)
    }

    /// The grant of a code.
    ///
    /// - Parameters:
    ///   - codes: redeems it.
    ///   - makeTokens: makes the tokens; refresh tokens by ``RedeemedAuthorizationCode/issueRefreshToken(for:)``. The
    ///     code is used up, also if it throws, and then gives nothing. Where it throws
    ///     ``OAuthErrorCode/temporarilyUnavailable`` or `ErrorCode.storeUnavailable` the client may come again with it.
    ///
    /// Source: RFC 6749 §4.1.3.
    public static func authorizationCode(
      _ codes: AuthorizationCodeService,
      makeTokens: @escaping @Sendable (RedeemedAuthorizationCode, Request) async throws -> TokenAnswer
    ) -> Grant {
      Grant(GrantType.authorizationCode) { request in
        let redemption = try AuthorizationCodeRedemption(
          form: request.form, clientID: request.client.id, keyThumbprint: request.client.confirmation)
        return try await codes.tokens(of: redemption) { try await makeTokens($0, request) }
      }
    }

    /// The grant of a refresh token.
    ///
    /// - Parameters:
    ///   - service: redeems the tokens. Logins that it issues them for are begun elsewhere.
    ///   - makeTokens: makes the access token, and the ID token if there is one. The refresh token, scope and lifetime
    ///     are the service's. If it throws, nothing has been rotated.
    ///
    /// Source: RFC 6749 §6.
    public static func refreshToken(
      _ service: RefreshTokenService,
      makeTokens: @escaping @Sendable (RefreshedGrant, Request) async throws -> TokenAnswer
    ) -> Grant {
      Grant(GrantType.refreshToken) { request in
        let form = request.form
        guard let refreshToken = form.values("refresh_token").first, !refreshToken.isEmpty else {
          throw OpenIDError(.invalidRequest, "the request has no refresh token", name: "refresh_token")
        }
        let redemption = RefreshRedemption(
          refreshToken: refreshToken, clientID: request.client.id,
          scope: form.values("scope").first.map(\.words).flatMap { $0.isEmpty ? nil : $0 },
          resources: form.values("resource").filter { !$0.isEmpty }, confirmation: request.client.confirmation)
        var refusal: OAuthErrorResponse?
        do throws(OpenIDError) {
          let result = try await service.redeem(redemption) { grant in
            do {
              return try await makeTokens(grant, request)
            } catch let error as OAuthErrorResponse {
              refusal = error
              throw error
            }
          }
          var tokens = result.artefacts
          tokens.refreshToken = result.refreshToken
          tokens.expiresIn = result.grant.accessTokenLifetime
          tokens.scope = result.grant.scope.isEmpty ? nil : result.grant.scope.joined(separator: " ")
          return tokens
        } catch {
          // The end of the session goes before what became of the tokens.
          throw error.code == .serverError ? refusal ?? OAuthErrorResponse(error) : OAuthErrorResponse(error)
        }
      }
    }
  }
}

extension AuthorizationCodeService {
  /// The tokens for a code.
  ///
  /// - Parameter makeTokens: as in ``TokenEndpoint/Grant/authorizationCode(_:makeTokens:)``.
  func tokens(
    of redemption: AuthorizationCodeRedemption, _ makeTokens: (RedeemedAuthorizationCode) async throws -> TokenAnswer
  ) async throws -> TokenAnswer {
    try await redeem(redemption) { code -> Result<TokenAnswer, OAuthErrorResponse> in
      do {
        return .success(try await makeTokens(code))
      } catch let refusal as OAuthErrorResponse where refusal.code != .temporarilyUnavailable {
        // The code is used up by this refusal. No client hears of what was to go with the tokens.
        code.withdrawAll()
        return .failure(refusal)
      }
    }.get()
  }
}
