import JOSE
import OpenIDKit
import PureCrypto
import StrictJSON

/// Apple's token endpoint and its siblings, for one client: OAuth 2.0 with a client secret that is signed anew.
///
/// Source: Apple, Generate and validate tokens; Revoke tokens. RFC 7009.
package struct AppleTokenEndpoint: Sendable {
  /// What is exchanged.
  package enum Grant: Sendable {
    /// An authorization code. `redirectURI` is the one of the authorization request, nil for a native app, which had
    /// none.
    case authorizationCode(String, redirectURI: AppleRedirectURI?)
    /// A refresh token: a check that the user still agrees, to be made at most once a day.
    case refreshToken(String)
    /// Nothing: a token is asked for with which users of an app that changes teams are transferred.
    case userMigration

    package var fields: FormFields {
      switch self {
      case .authorizationCode(let code, nil): ["grant_type": GrantType.authorizationCode, "code": code]
      case .authorizationCode(let code, let redirectURI?):
        ["grant_type": GrantType.authorizationCode, "code": code, "redirect_uri": redirectURI.text]
      case .refreshToken(let token): ["grant_type": GrantType.refreshToken, "refresh_token": token]
      case .userMigration: ["grant_type": GrantType.clientCredentials, "scope": "user.migration"]
      }
    }

    var isCode: Bool { if case .authorizationCode = self { true } else { false } }
  }

  let clientID: String
  let service: AppleService
  private let secrets: AppleClientSecretCache
  private let transport: HTTPTransport

  package init(clientID: String, signer: AppleClientSecretSigner, transport: @escaping HTTPTransport) {
    (self.clientID, service, self.transport) = (clientID, signer.service, transport)
    secrets = AppleClientSecretCache(signer: signer)
  }

  /// Exchanges a grant. A code is never sent twice.
  func tokens(for grant: Grant) async throws(JOSEError) -> TokenAnswer {
    try Self.tokens(in: await send(grant.fields, to: service.tokenURL, isRepeatable: !grant.isCode), to: grant)
  }

  /// Revokes a token. One that was revoked now and one that was not valid any more look the same.
  func revoke(_ request: RevocationRequest) async throws(JOSEError) {
    try OAuthAnswer.requireAnswer(await send(FormFields(request.fields), to: service.revocationURL))
  }

  /// Sends fields with a client secret. One that Apple refuses is not used again: it may have been made by a clock that
  /// was wrong, or be older than its key.
  ///
  /// - Parameters:
  ///   - isRepeatable: whether the fields may be sent once more with another secret.
  ///   - accessToken: of the transfer of users.
  func send(
    _ fields: FormFields, to url: String, isRepeatable: Bool = true, accessToken: String? = nil
  ) async throws(JOSEError) -> HTTPResponseValue {
    var response = try await sendOnce(fields, to: url, accessToken)
    guard Self.refusesSecret(response) else { return response }
    await secrets.forget(clientID)
    guard isRepeatable else { return response }
    response = try await sendOnce(fields, to: url, accessToken)
    if Self.refusesSecret(response) { await secrets.forget(clientID) }
    return response
  }

  private func sendOnce(
    _ fields: FormFields, to url: String, _ accessToken: String?
  ) async throws(JOSEError) -> HTTPResponseValue {
    let request = try await Self.request(
      fields, to: url, try await secrets.clientSecret(for: clientID), accessToken: accessToken)
    do {
      return try await transport(request)
    } catch {
      throw JOSEError(.serverUnavailable, "no response came to the request")
    }
  }

  /// What is sent. Apple refuses requests without a `User-Agent`.
  package static func request(
    _ fields: FormFields, to url: String, _ secret: AppleClientSecret, accessToken: String? = nil
  ) async throws(JOSEError) -> HTTPRequestValue {
    let credentials = ClientCredentials(clientID: secret.clientID, authentication: .secretInForm(secret.value))
    do {
      var request = try await credentials.request(fields, to: url)
      try request.headers.set("User-Agent", "PureJOSE")
      if let accessToken { try request.headers.set("Authorization", "Bearer " + accessToken) }
      return request
    } catch {
      throw JOSEError(.fieldInvalid, "a token can't stand in a header field", name: "access_token")
    }
  }

  private static func refusesSecret(_ response: HTTPResponseValue) -> Bool {
    guard case .refused(let code) = OAuthAnswer.verdict(on: response) else { return false }
    return code == "invalid_client"
  }
}

/// What the endpoints answer.
extension AppleTokenEndpoint {
  /// The tokens of an answer.
  ///
  /// - Throws: `ErrorCode.serverRefused` with the error code as its name;
  ///   `ErrorCode.serverUnavailable`; `ErrorCode.malformed`,
  ///   `ErrorCode.fieldMissing`, `ErrorCode.fieldInvalid`.
  package static func tokens(
    in response: HTTPResponseValue, to grant: Grant
  ) throws(JOSEError) -> TokenAnswer {
    try OAuthAnswer.requireAnswer(response)
    let tokens: TokenAnswer
    do throws(TokenResponseFault) {
      tokens = try TokenAnswer(parsing: response.body)
    } catch {
      switch error {
      case .malformed: throw JOSEError(.malformed, "the answer is not a JSON object")
      case .missing(let name): throw .missingMember(name)
      case .invalid(let name):
        throw JOSEError(.fieldInvalid, "a member has an unexpected type", name: name)
      case .otherType: throw .otherTokenType
      }
    }
    guard tokens.isType(bound: false) else { throw .otherTokenType }
    if grant.isCode {
      guard tokens.refreshToken != nil else { throw .missingMember("refresh_token") }
      guard tokens.idToken != nil else { throw .missingMember("id_token") }
    }
    return tokens
  }
}

extension JOSEError {
  static let otherTokenType = JOSEError(.fieldInvalid, "the access token is of another type", name: "token_type")

  static func missingMember(_ name: String) -> JOSEError {
    JOSEError(.fieldMissing, "the answer lacks a member", name: name)
  }
}

extension AppleTokenEndpoint.Grant: Redacted {}
