import JOSE
import PureCrypto
import StrictJSON

/// A client of resource servers that it learns of on the way: from the answer 401 to a token that is good there.
///
/// ```swift
/// let client = ResourceClient(
///   redirectURI: "http://127.0.0.1:8765/callback",
///   registrations: [.init(issuer: "https://login.example.com", clientID: "agent")],
///   trusts: { issuer, _ in await askUser("Log in at \(issuer)?") }, transport: send)
/// let refusal = try await send(request)                                     // 401
/// let (pending, url) = try await client.begin(after: refusal, to: request)  // send the browser to `url`
/// let login = try await client.finish(pending, redirect: callback)
/// let answer = try await login.authorizer.send(request)                     // after 403: `begin` with `login`
/// ```
///
/// The tokens are good at one resource, and there is no ID token: who the user is, ``OpenIDClient`` tells. A client of
/// the Model Context Protocol is one of these.
///
/// Source: RFC 9728 §5; RFC 8414 §3; RFC 8707; RFC 9207; RFC 7636; Model Context Protocol 2026-07-28, Authorization.
public struct ResourceClient: Sendable {
  /// How an authorization server knows the client. It is good at that one alone.
  public struct Registration: Sendable {
    let issuer: WireName
    let clientID: String
    let authentication: ClientAuthentication

    /// A registration that was made before.
    public init(issuer: String, clientID: String, authentication: ClientAuthentication = .none) {
      (self.issuer, self.clientID, self.authentication) = (WireName(issuer), clientID, authentication)
    }
  }

  /// Which resource's metadata are taken for a request's.
  public enum Match: Sendable {
    /// Of the very address that was asked.
    case exact
    /// Of that address, or of one of the same host that its path begins with.
    case pathPrefix
  }

  let redirectURI: String
  let registrations: [Registration]
  let document: String?
  let binding: OpenIDClient.TokenBinding
  let match: Match
  let sendsResource: Bool
  let plainHTTP: PlainHTTP
  let clock: TokenClock
  let trusts: @Sendable (_ issuer: String, _ resource: ProtectedResource) async -> Bool
  let transport: HTTPTransport
  let finished = FinishedLogins()

  /// A client.
  ///
  /// - Parameters:
  ///   - redirectURI: where browsers come back to.
  ///   - registrations: the client's identifiers, by issuer.
  ///   - document: the address of the client's own metadata, without keys, which is its identifier at servers that take
  ///     such, where there is no registration.
  ///   - binding: what tokens are good with.
  ///   - match: which resource's metadata are taken.
  ///   - sendsResource: whether the resource is named to the authorization server. Some refuse that; their tokens may
  ///     then be good elsewhere, too.
  ///   - plainHTTP: whether resources and servers may be on this machine, without TLS.
  ///   - clock: tells what has expired, and waits for the ``TokenManager``s of the logins.
  ///   - trusts: whether the user may log in at an issuer for a resource, which names it: any address can name any
  ///     issuer, so show both to a person, or compare with a list. Asked in the order of
  ///     ``ProtectedResource/authorizationServers``, those with a registration first.
  ///   - transport: the caller's HTTP client, which must not follow redirects. Where users choose the addresses, it
  ///     must not reach into networks that they can't reach themselves.
  public init(
    redirectURI: String, registrations: [Registration] = [], document: String? = nil,
    binding: OpenIDClient.TokenBinding = .none, match: Match = .exact, sendsResource: Bool = true,
    plainHTTP: PlainHTTP = .refused, clock: TokenClock = .system,
    trusts: @escaping @Sendable (_ issuer: String, _ resource: ProtectedResource) async -> Bool,
    transport: @escaping HTTPTransport
  ) {
    (self.redirectURI, self.registrations, self.document) = (redirectURI, registrations, document)
    (self.binding, self.match, self.sendsResource) = (binding, match, sendsResource)
    (self.plainHTTP, self.clock, self.trusts, self.transport) = (plainHTTP, clock, trusts, transport)
  }

  /// Begins a login for a request that was refused: with 401, or with 403 for the lack of a scope.
  ///
  /// What is asked for is what the refusal names, else what the resource's metadata name, together with what was asked
  /// for before. After eight logins that bring more, a server gets no further one.
  /// - Parameters:
  ///   - response: the refusal.
  ///   - request: what was refused.
  ///   - login: the login whose token was refused, if there was one.
  /// - Returns: what to keep for this browser, and where to send it.
  /// - Throws: `ErrorCode.invalidRequest` for another answer; `ErrorCode.metadataInvalid` for a resource or a server
  ///   without metadata, with those of another, or one that does without proof of the code (S256);
  ///   `ErrorCode.settingInvalid` with the name `trusts` if no issuer is trusted, `registrations` if the client is
  ///   known at none of them; `ErrorCode.configuration` with the name `insufficient_scope` if more login doesn't help;
  ///   `ErrorCode.temporarilyUnavailable`; what ``OpenIDClient/begin(maximumAge:parameters:)`` throws.
  public func begin(
    after response: HTTPResponseValue, to request: HTTPRequestValue, login: ResourceLogin? = nil
  ) async throws(OpenIDError) -> (login: OpenIDClient.PendingLogin, url: String) {
    let refusal = try Refusal(response)
    let resource = try await resource(of: request.url, refusal.metadataURL)
    let (earlier, count) = try earlierScopes(of: login, refusal, at: resource)
    let server = try await server(of: resource)
    var scopes = (earlier + (refusal.scopes ?? (earlier.isEmpty ? resource.scopes : []))).distinct
    // Refresh tokens where the server says how they are asked for.
    if server.announces("offline_access", in: "scopes_supported"), !scopes.isEmpty {
      scopes = (scopes + ["offline_access"]).distinct
    }
    let client = try client(at: server, scopes)
    var parameters = FormFields()
    if sendsResource { parameters.append("resource", resource.resource) }
    var (pending, url) = try await client.begin(parameters: parameters)
    (pending.resource, pending.stepUps) = (resource.resource, count)
    return (pending, url)
  }

  /// What was asked for before, which a new login asks for again, since its tokens replace the others; and how many
  /// logins for more it is then. Refresh tokens are asked for by what the server of the new login says.
  ///
  /// - Throws: `ErrorCode.configuration` where a new login would bring nothing new, or has often enough.
  private func earlierScopes(
    of login: ResourceLogin?, _ refusal: Refusal, at resource: ProtectedResource
  ) throws(OpenIDError) -> (scopes: [String], count: Int) {
    let name = WireName(resource.resource)
    guard let login, name == login.resource else { return ([], 0) }
    let scopes = login.scopes.filter { !["offline_access"].wireNames.contains($0) }
    guard refusal.isForScope else { return (scopes, 0) }
    let asked = login.scopes.wireNames
    guard login.stepUps < 8, let wanted = refusal.scopes, wanted.contains(where: { !asked.contains($0) }) else {
      throw OpenIDError(.configuration, "the server wants more scopes than a login brings", name: "insufficient_scope")
    }
    return (scopes, login.stepUps + 1)
  }

  /// Finishes a login: checks that the answer is to it and from the server that was asked, and redeems the code.
  ///
  /// - Parameters:
  ///   - pending: as ``begin(after:to:login:)`` returned it, for this browser.
  ///   - redirect: where the browser was sent: the whole address, or its path and query as a server saw them.
  ///   - store: where the login's tokens are kept. Keep those of different issuers and resources apart.
  ///   - settings: of the login's ``TokenManager``.
  ///   - lock: keeps other processes from refreshing the same login.
  /// - Throws: as ``OpenIDClient/finish(_:redirect:store:settings:lock:)``, but for the ID token.
  public func finish(
    _ pending: OpenIDClient.PendingLogin, redirect: String, store: any SecretStore = MemorySecretStore(),
    settings: TokenSettings = TokenSettings(), lock: (any RefreshLock)? = nil
  ) async throws(OpenIDError) -> ResourceLogin {
    guard let resource = pending.resource else {
      throw OpenIDError(.settingInvalid, "the login was begun by another client", name: "pending")
    }
    let client = try client(at: await metadata(of: pending.issuer), pending.scopes)
    let login = try self.login(pending, resource, by: client, store, settings, lock)
    let code: RedeemedCode
    do throws(LoginFault) {
      code = try await client.redeemCode(of: pending, redirect: redirect, by: login.refresher)
    } catch {
      throw OpenIDError(error)
    }
    let tokens = code.tokens.aged(since: code.receivedAt, at: clock.wall.now)
    try await login.manager.logIn(tokens, scope: pending.scopes.joined(separator: " "))
    return login
  }

  /// A login that was finished before, in this process or another.
  ///
  /// - Parameters:
  ///   - pending: that it was finished from. ``OpenIDClient/PendingLogin/serialized()`` keeps it, beside the tokens.
  ///   - store: the login's.
  ///   - settings: of the login's ``TokenManager``.
  ///   - lock: keeps other processes from refreshing the same login.
  /// - Throws: `ErrorCode.settingInvalid`, `ErrorCode.metadataInvalid`, `ErrorCode.temporarilyUnavailable`.
  public func resume(
    _ pending: OpenIDClient.PendingLogin, store: any SecretStore, settings: TokenSettings = TokenSettings(),
    lock: (any RefreshLock)? = nil
  ) async throws(OpenIDError) -> ResourceLogin {
    guard let resource = pending.resource else {
      throw OpenIDError(.settingInvalid, "the login was begun by another client", name: "pending")
    }
    let client = try client(at: await metadata(of: pending.issuer), pending.scopes)
    return try login(pending, resource, by: client, store, settings, lock)
  }

  private func login(
    _ pending: OpenIDClient.PendingLogin, _ resource: String, by client: OpenIDClient, _ store: any SecretStore,
    _ settings: TokenSettings, _ lock: (any RefreshLock)?
  ) throws(OpenIDError) -> ResourceLogin {
    let refresher = client.refresher(
      try client.signingKey(pending.proofKey), resource: sendsResource ? resource : nil)
    let manager = try TokenManager(store: store, refresher: refresher, settings: settings, lock: lock, clock: clock)
    var authorizer = try client.authorizer(for: manager, proofKey: pending.proofKey)
    authorizer.origin = (try? URIComponents(parsing: resource))?.origin
    return ResourceLogin(
      resource: resource, issuer: pending.issuer, scopes: pending.scopes, manager: manager, authorizer: authorizer,
      refresher: refresher, stepUps: pending.stepUps)
  }

  /// The client as a server knows it. It asks for no ID token.
  private func client(at server: OpenIDProviderMetadata, _ scopes: [String]) throws(OpenIDError) -> OpenIDClient {
    guard let registration = registration(at: server) else {
      throw OpenIDError(.settingInvalid, "the client is not registered at the issuer", name: "registrations")
    }
    var client = try OpenIDClient(
      clientID: registration.clientID, redirectURI: redirectURI, provider: server,
      keys: RemoteKeySet(url: server.keySetURL ?? "", transport: transport), algorithms: SignatureAlgorithm.asymmetric,
      authentication: registration.authentication, binding: binding, clock: clock, transport: transport)
    (client.scopes, client.finished) = (scopes, finished)
    return client
  }

  private func registration(at server: OpenIDProviderMetadata) -> Registration? {
    if let known = registrations.first(where: { $0.issuer == server.issuer }) { return known }
    guard let document, server.members["client_id_metadata_document_supported"]?.boolValue == true else { return nil }
    return Registration(issuer: server.issuer, clientID: document)
  }
}

extension ResourceClient: Redacted {}

extension ResourceClient.Registration: Redacted {}

/// Tokens for one resource, of one user.
public struct ResourceLogin: Sendable {
  /// The resource's identifier, which the tokens are for.
  public let resource: String
  /// The authorization server.
  public let issuer: String
  /// What was asked for.
  public let scopes: [String]
  /// Keeps the tokens fresh.
  public let manager: TokenManager
  /// Sends requests with them to the resource's own server, and to no other. Where it throws
  /// `ErrorCode.reauthenticationRequired`, send the request without a token, and begin a new login.
  public let authorizer: RequestAuthorizer
  let refresher: OAuthTokenRefresher
  /// How many logins asked for more than the first.
  let stepUps: Int
}

extension ResourceLogin: Redacted {}
