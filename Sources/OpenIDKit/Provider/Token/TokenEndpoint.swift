import JOSE

/// A provider's token endpoint: authenticates the client, and hands its request to the grant that it names.
///
/// ```swift
/// let endpoint = TokenEndpoint(grants: [
///   .authorizationCode(codes) { code, _ in try tokens(of: code) },
///   .refreshToken(service) { grant, _ in TokenAnswer(accessToken: try sign(grant)) },
/// ], authenticate: clients.authenticate)
/// let response = await endpoint.respond(to: request)
/// ```
///
/// Source: RFC 6749 §3.2, §5.
public struct TokenEndpoint: Sendable {
  /// A request whose client is known.
  public struct Request: Sendable {
    /// The fields of the request. Names are unique, but for those that the grant lets repeat.
    public let form: FormFields
    /// Who sends it.
    public let client: AuthenticatedClient
    /// Where it comes from, for rate limits.
    public let sourceAddress: String

    package init(form: FormFields, client: AuthenticatedClient, sourceAddress: String) {
      (self.form, self.client, self.sourceAddress) = (form, client, sourceAddress)
    }
  }

  /// The grant of a type.
  private let grant: @Sendable (_ type: String) -> Grant?
  private let authenticate: OAuthEndpoint.Authenticate

  /// An endpoint.
  ///
  /// - Parameters:
  ///   - grants: those that clients may use. Of two with one type, the first.
  ///   - authenticate: authenticates or, for public clients, identifies the client; nil if there is no such client or
  ///     it does not prove itself. A refusal that it throws, an ``OAuthErrorResponse``, is what the client is told; for
  ///     anything else it is told to come again: 503.
  public init(
    grants: [Grant],
    authenticate: @escaping @Sendable (HTTPRequestValue, FormFields) async throws -> AuthenticatedClient?
  ) {
    self.init(grant: { type in grants.first { $0.type == type } }, authenticate: authenticate)
  }

  /// - Parameter grant: the grant of a type, made when a request names it.
  init(
    grant: @escaping @Sendable (_ type: String) -> Grant?,
    authenticate: @escaping @Sendable (HTTPRequestValue, FormFields) async throws -> AuthenticatedClient?
  ) {
    (self.grant, self.authenticate) = (grant, authenticate)
  }

  /// Answers a request of any method: with tokens, or with an error of RFC 6749 §5.2.
  ///
  /// - Parameters:
  ///   - request: as it came.
  ///   - sourceAddress: where the request comes from, for rate limits. Take it from the connection, not from a header
  ///     that any client can set.
  public func respond(to request: HTTPRequestValue, sourceAddress: String = "") async -> HTTPResponseValue {
    do throws(OAuthErrorResponse) {
      return .json(200, try await tokens(request, sourceAddress).jsonObject)
    } catch {
      return error.response(to: request)
    }
  }

  /// The parameters of the grants of this package. Of one that another grant has, a field that can't be decoded counts
  /// as absent.
  private static let parameters: [WireName] =
    OAuthEndpoint.clientNames + [
      "grant_type", "code", "redirect_uri", "code_verifier", "refresh_token", "scope", "resource", "audience",
      "requested_token_type", "subject_token", "subject_token_type", "actor_token", "actor_token_type", "device_secret",
      "assertion", "device_code", "username", "password",
    ]

  private func tokens(
    _ request: HTTPRequestValue, _ sourceAddress: String
  ) async throws(OAuthErrorResponse) -> TokenAnswer {
    let form = try OAuthEndpoint.form(of: request, Self.parameters)
    let types = form.values("grant_type")
    let grant = types.first.flatMap(grant)
    guard form.hasUniqueNames(except: grant?.repeatable ?? []) else { throw .malformed }
    let client = try await OAuthEndpoint.client(of: request, form, authenticate)
    guard types.count == 1, !types[0].isEmpty else { throw .malformed }
    guard let grant else {
      throw OAuthErrorResponse(.unsupportedGrantType, "The grant type is not supported")
    }
    do {
      return try await grant.answer(Request(form: form, client: client, sourceAddress: sourceAddress))
    } catch let error as OAuthErrorResponse {
      throw error
    } catch let error as OpenIDError {
      throw OAuthErrorResponse(error)
    } catch {
      throw .serverFault
    }
  }
}
