import JOSE
import PureCrypto
import StrictJSON

/// Clients that are not registered: each is known by the address of its ``ClientDocument``. Those that are registered
/// are looked up first.
///
/// ```swift
/// let clients = DocumentedClients(
///   issuer: issuer, registered: known, scopes: ["notes.read"], resources: [api], records: records,
///   allows: { host in trusted.contains(host) }, transport: outgoing.send)
/// ```
///
/// Consent pages show the document's host before its name, and warn where ``ClientDocument/isLoopbackOnly`` is true.
/// Such a client has to prove its codes (PKCE), its users are asked each time unless it proves who it is, and a code is
/// good as long as the document is what it was when the user was asked.
///
/// Source: draft-ietf-oauth-client-id-metadata-document-01 §3, §4, §6.
public actor DocumentedClients: ClientDirectory {
  private struct Known {
    let document: ClientDocument
    let client: RegisteredClient
    let fetchedAt: NumericDate
    var freshUntil: NumericDate
    var usedAt: NumericDate
  }

  private let issuer: String
  private let registered: any ClientDirectory
  private let scopes: [String]
  private let resources: [String]
  private let records: any RecordStore
  private let allowsLocalhost: Bool
  private let plainHTTP: PlainHTTP
  private let clock: WallClock
  private let allows: @Sendable (_ host: String) async -> Bool
  private let transport: HTTPTransport
  private let limiter = InMemoryRateLimiter()
  private var known: [WireName: Known] = [:]
  private var flights: [WireName: Task<Known?, any Error>] = [:]

  /// Documents that are kept, requests that are under way, requests of a minute: to one host, and to all.
  private static let (capacity, width, perHost, perMinute) = (1000, 10, 10, 120)
  /// A document serves between five minutes and a day.
  private static let lifetimes = 300.0...86_400.0

  /// A directory.
  ///
  /// - Parameters:
  ///   - issuer: the provider's identifier, which the clients' assertions are for.
  ///   - registered: clients that are registered, which are looked up first.
  ///   - scopes: what such a client may ask for.
  ///   - resources: the resources that it may ask for.
  ///   - records: remembers the assertions that were used.
  ///   - allowsLocalhost: whether a redirect to `localhost` may have any port, as one to `127.0.0.1` may. The name can
  ///     be anybody's (RFC 8252 §8.3).
  ///   - plainHTTP: whether documents may be on this machine.
  ///   - clock: tells how old a document is.
  ///   - allows: whether the documents of a host are taken.
  ///   - transport: fetches documents and keys. It follows no redirect, reads 64 KiB at most, and refuses every address
  ///     of RFC 6890: the one that it connects to is the one that it has judged.
  public init(
    issuer: String, registered: any ClientDirectory = StaticClientDirectory([]), scopes: [String],
    resources: [String] = [], records: any RecordStore, allowsLocalhost: Bool = false, plainHTTP: PlainHTTP = .refused,
    clock: WallClock = .system, allows: @escaping @Sendable (_ host: String) async -> Bool,
    transport: @escaping HTTPTransport
  ) {
    (self.issuer, self.registered, self.scopes, self.resources) = (issuer, registered, scopes, resources)
    (self.records, self.allowsLocalhost, self.plainHTTP, self.clock) = (records, allowsLocalhost, plainHTTP, clock)
    (self.allows, self.transport) = (allows, transport)
  }

  /// Documents are taken.
  public nonisolated var takesDocuments: Bool { true }

  /// The client of a name: a registered one, or that of the document there. One answer for all that can be wrong with a
  /// document: what a server can reach, and what not, is not a stranger's business.
  ///
  /// - Throws: what the other directory throws; `ErrorCode.tooManyRequests`.
  public func client(id: String) async throws -> RegisteredClient? {
    if let client = try await registered.client(id: id) { return client }
    return try await known(id)?.client
  }

  /// The document of a client that is not registered, for the page that asks the user.
  ///
  /// - Throws: as ``client(id:)``.
  public func document(id: String) async throws -> ClientDocument? {
    guard try await registered.client(id: id) == nil else { return nil }
    return try await known(id)?.document
  }

  private func known(_ id: String) async throws -> Known? {
    guard ClientDocument.isIdentifier(id, plainHTTP), let host = try? URIComponents(parsing: id).host,
      await allows(host.asciiLowercased)
    else { return nil }
    let (name, now) = (WireName(id), clock.now)
    known[name]?.usedAt = now
    if let found = known[name], now < found.freshUntil { return found }
    if let flight = flights[name] { return try await flight.value }
    guard flights.count < Self.width else { return try last(name, orThrow: Self.tooMany) }
    let flight = Task { try await fetched(id, name, host.asciiLowercased) }
    flights[name] = flight
    defer { flights[name] = nil }
    return try await flight.value
  }

  /// The last good document, for a day.
  private func last(_ name: WireName, orThrow error: OpenIDError? = nil) throws(OpenIDError) -> Known? {
    if let last = known[name], clock.now.secondsSince1970 - last.fetchedAt.secondsSince1970 < 86_400 { return last }
    if let error { throw error }
    return nil
  }

  /// The document as it is now, else the last good one.
  private func fetched(_ id: String, _ name: WireName, _ host: String) async throws -> Known? {
    let now = clock.now
    // Strangers' identifiers use up nothing that is for those which are known.
    let kind = known[name] == nil ? "new" : "known"
    let limits = [(RateLimitKey(kind, host), Self.perHost), (RateLimitKey(kind), Self.perMinute)]
    for (key, limit) in limits {
      let decision = await limiter.attempt([key], limit: limit, blockDuration: .seconds(60), now: now)
      guard decision == .allowed else { return try last(name, orThrow: Self.tooMany) }
    }
    guard let (document, freshness) = await read(id) else {
      guard let last = try last(name) else {
        known[name] = nil
        return nil
      }
      // A server that is down is not asked each time.
      known[name]?.freshUntil = now.advanced(by: .seconds(60))
      return last
    }
    let lifetime = min(max(freshness ?? 3600, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
    let new = Known(
      document: document, client: client(of: document), fetchedAt: now,
      freshUntil: now.advanced(by: .seconds(lifetime)), usedAt: now)
    if known.count >= Self.capacity, known[name] == nil,
      let oldest = known.min(by: { $0.value.usedAt < $1.value.usedAt })
    {
      known[oldest.key] = nil
    }
    known[name] = new
    return new
  }

  /// A document, and for how long its server says that it is fresh; nil for whatever else comes, or nothing.
  private nonisolated func read(_ id: String) async -> (ClientDocument, freshness: Double?)? {
    let answer = await HTTPRequestValue.reading(id).answer(within: .seconds(5), by: transport)
    guard let answer, answer.status == 200, Self.isJSON(answer.headers.values("Content-Type")),
      let document = try? ClientDocument(parsing: answer.body, id: id, plainHTTP: plainHTTP)
    else { return nil }
    if case .keySet(let url) = document.proof {
      guard let host = try? URIComponents(parsing: url).host, await allows(host.asciiLowercased) else { return nil }
    }
    return (document, CacheDirectives(answer.headers).freshness)
  }

  private static func isJSON(_ types: [String]) -> Bool {
    guard types.count == 1 else { return false }
    let type = String(Substring(types[0].utf8.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 })).asciiLowercased
    return MediaType.matches(type, MediaType.json)
      || type.utf8.starts(with: "application/".utf8) && type.utf8.suffix(5).elementsEqual("+json".utf8)
  }

  /// What the provider goes by. A document never gives a client tokens without a user.
  private nonisolated func client(of document: ClientDocument) -> RegisteredClient {
    let asked = document.members["scope"]?.stringValue?.words.wireNames
    var client = RegisteredClient(
      id: document.id, authentication: authentication(of: document), isNative: true,
      redirectURIs: document.redirectURIs, allowedScopes: scopes.filter { asked?.contains($0) ?? true },
      resources: resources)
    (client.requiresPKCE, client.needsConsent) = (true, true)
    (client.refreshTokens, client.snapshot) = (document.refreshes, document.snapshot)
    client.allowsLocalhost = allowsLocalhost
    return client
  }

  private nonisolated func authentication(of document: ClientDocument) -> RegisteredClient.Authentication {
    let policy = JWTPolicy.clientAssertion(clientID: document.id, audience: [issuer], clock: clock)
    var verifier: SingleUseJWTVerifier
    switch document.proof {
    case .none: return .none
    case .keys(let keys):
      let tokens = JWTVerifier(keys: keys, algorithms: SignatureAlgorithm.asymmetric, policy: policy)
      verifier = SingleUseJWTVerifier(tokens, records: records)
    case .keySet(let url):
      let keys = RemoteKeySet(url: url, plainHTTP: plainHTTP, clock: clock, transport: transport)
      let tokens = RemoteJWTVerifier(keys: keys, algorithms: SignatureAlgorithm.asymmetric, policy: policy)
      verifier = SingleUseJWTVerifier(tokens, records: records)
    }
    // Strangers must not fill the memory of what was used, which all clients share.
    verifier.limitsIssuers = true
    return .assertion(verifier)
  }

  private static var tooMany: OpenIDError {
    OpenIDError(.tooManyRequests, "too many documents of clients were asked for")
  }
}
