import Hummingbird
import JOSE
import Logging
import Metrics
import OpenIDKit
import PureCrypto
import SQLStores

/// The provider with all of its parts.
package struct Provider: Sendable {
  package let settings: ProviderSettings
  package let secrets: ProviderSecrets
  let storage: Storage
  package let clock: WallClock
  package let log: Logger
  package let users: UserRepository
  package let clients: ClientRepository
  /// The apps that documents of their own make known; nil unless there are some that may.
  let documents: DocumentedClients?
  /// The logins, as tokens name them (`sid`).
  package let sessions: SessionRecords
  package let keys: KeyRing
  package let audit: AuditLog
  /// The provider of the protocol, but for keys, which change.
  private(set) var base: OpenIDProvider
  let passwords: PasswordHasher
  let seal: SealingKey
  let outgoing: OutgoingRequests
  /// The octets of the database, which take a while to count.
  let databaseSize: LastKnown<Int64>
  let metadata: LastKnown<JSONObject>
  /// The cards for users' wallets.
  let cards: EmployeeCards?
  /// Their status list, which is made anew after half of its time, and when a card was taken back.
  let cardStatuses: LastKnown<String>
  /// The parts that were added to the server.
  package private(set) var extensions: [any ProviderExtension] = []

  /// Opens the folder, and makes missing parts if the settings say so.
  ///
  /// - Throws: ``StartRefusal``, what the file system and the database throw.
  package init(settings: ProviderSettings, clock: WallClock = .system, log: Logger) async throws {
    self.clock = clock
    self.log = log
    databaseSize = LastKnown(lifetime: 60, clock: clock)
    metadata = LastKnown(lifetime: KeyRing.cacheLifetime, clock: clock)
    cardStatuses = LastKnown(
      lifetime: Double(EmployeeCards.timeToLive) / 2, patience: .seconds(9), clock: clock)
    guard settings.database?.isEmpty != true else {
      throw StartRefusal("IDP_DATABASE, or --database, names no database: name one, or take it away.")
    }
    try ProviderFolder.open(settings.folder, makes: settings.makesFolder, hasFile: settings.database == nil)
    if settings.database == nil {
      secrets = try ProviderSecrets(folder: settings.folder)
      storage = try await Storage.open(settings, clock: clock)
    } else {
      storage = try await Storage.open(settings, clock: clock)
      // New secrets would not open what the database already has.
      let isNew = try await storage.driver.row("SELECT id FROM signingKeys LIMIT 1") == nil
      guard settings.makesFolder || !isNew else {
        throw StartRefusal("There is no provider in this database: make one with idp init.")
      }
      secrets = try ProviderSecrets(folder: settings.folder, makes: isNew)
    }
    let database = storage.driver
    seal = try SealingKey(secrets.sealingKey)
    keys = KeyRing(database: database, seal: seal, clock: clock)
    do { try await keys.prepare() } catch is JOSEError {
      throw StartRefusal("secrets.json doesn't belong to this database: copy both from the same backup.")
    }
    guard try await storage.belongs(to: secrets, at: clock.now) else {
      throw StartRefusal(
        "secrets.json has other keys than the servers of this database: copy it from one of them, or both from the same "
          + "backup.")
    }
    // Not before: what can't start must not write it.
    self.settings = try await storage.withIssuer(settings, at: clock.now)
    outgoing = OutgoingRequests(
      trustedRoots: settings.trustedRoots, allowsPrivateAddresses: settings.allowsPrivateAddresses)
    passwords = PasswordHasher(settings.passwordCost)
    let sessions = SessionRecords(records: database.records, clock: clock)
    self.sessions = sessions
    users = UserRepository(database: database, sessions: sessions, clock: clock)
    clients = ClientRepository(database: database, issuer: self.settings.issuer, clock: clock)
    cards = EmployeeCards(
      issuer: self.settings.issuer, lifetime: self.settings.employeeCardLifetime, records: database.records,
      clock: clock)
    let audit = AuditLog(database: database, clock: clock, log: log)
    self.audit = audit
    documents = Self.documents(self.settings, clients, outgoing, database, clock)
    base = try await Self.base(
      self.settings, secrets, database, keys: keys.issuerKeys(), clients: documents ?? clients,
      sessions: UserDirectory(sessions: sessions, users: users), audit: audit, clock: clock)
    if settings.database != nil { try ProviderFolder.noteMove(settings.folder) }
  }

  private static func documents(
    _ settings: ProviderSettings, _ clients: ClientRepository, _ outgoing: OutgoingRequests, _ database: any SQLDriver,
    _ clock: WallClock
  ) -> DocumentedClients? {
    guard !settings.documentHosts.isEmpty else { return nil }
    return DocumentedClients(
      issuer: settings.issuer, registered: clients, scopes: settings.documentScopes,
      resources: settings.documentResources, records: database.records, allowsLocalhost: true, clock: clock,
      allows: { host in settings.documentHosts.contains { $0.lowercased() == host } },
      transport: { try await outgoing.send($0) })
  }

  private static func base(
    _ settings: ProviderSettings, _ secrets: ProviderSecrets, _ database: any SQLDriver, keys: IssuerKeys,
    clients: any ClientDirectory, sessions: UserDirectory, audit: AuditLog, clock: WallClock
  ) async throws -> OpenIDProvider {
    var policy = ProviderPolicy()
    policy.idTokenLifetime = .seconds(settings.idTokenLifetime)
    policy.codeLifetime = .seconds(settings.codeLifetime)
    policy.refreshTokenScopes = ["offline_access", "device_sso"]
    // Which resource a machine's token is for, its request says.
    policy.machineAudience = []
    policy.acceptsPlainOAuth = settings.acceptsPlainOAuth
    if settings.statusListTimeToLive > 0 { policy.statusListTimeToLive = .seconds(settings.statusListTimeToLive) }
    policy.rotation.accessTokenLifetime = .seconds(settings.accessTokenLifetime)
    // The FAPI 2 test suite uses a replaced refresh token again after 30 seconds.
    policy.rotation.grace = .seconds(60)
    // A client that sends several requests in parallel stays logged in.
    policy.rotation.maximumReplays = 10
    policy.rotation.offlineAccessOutlivesSession = true
    policy.rotation.maximumFamiliesPerUserAndClient = settings.loginsPerClient
    // A command that is not told the issuer, and finds none in the database, issues nothing.
    let issuer = settings.issuer.isEmpty ? "https://issuer.invalid" : settings.issuer
    policy.devicePage = issuer + "/device"
    var provider = try OpenIDProvider(
      issuer: issuer, keys: keys, clients: clients, sessions: sessions,
      refreshTokens: RefreshTokenFormat(key: secrets.refreshTokenKey), records: database.records, policy: policy,
      clock: clock
    ) { event in
      // Rotations are only counted: a line per hour and login would hide the other events.
      if case .refreshToken(let event) = event, case .rotated = event.kind {
        return Counter(label: "idp_refresh_rotations").increment()
      }
      guard let line = AuditLog.Event(event) else { return }
      // In a task of its own, which does not end with a client that goes away.
      await Task { await audit.record(line) }.value
    }
    provider.rateLimiter = database.rateLimits
    let nonces = try DPoPNonces(secret: SecretBytes(copying: secrets.nonceKey))
    provider.proofs.nonces = settings.requiresDPoPNonce ? .required(nonces) : .ifPresent(nonces)
    // Counted by network and by site, whatever name the request's source was given for other limits.
    provider.mayKeep = { _ in
      try await mayKeep(from: .ofTokenRequest, in: database, settings.keptRequestsPerMinute, at: clock.now)
    }
    return provider
  }

  static func mayKeep(
    from source: SourceAddress, in database: any SQLDriver, _ limit: Int, at now: NumericDate
  ) async throws -> Bool {
    for (name, share) in source.counted {
      let decision = try await database.rateLimits.attempt(
        [RateLimitKey("kept", name)], limit: limit * share, blockDuration: .seconds(60), now: now)
      guard decision == .allowed else { return false }
    }
    return true
  }

  /// Issues, rotates and revokes refresh tokens.
  package var refreshTokens: RefreshTokenService { base.refreshTokens }

  /// Runs all SQL statements.
  package var database: any SQLDriver { storage.driver }

  /// Copies the database in one consistent state into a new file.
  ///
  /// - Throws: ``StartRefusal`` with PostgreSQL; what the database throws.
  package func backUp(to path: String) throws {
    guard let file = storage.file else {
      throw StartRefusal("The database is PostgreSQL: copy it with pg_dump, and copy secrets.json too.")
    }
    try file.backUp(to: path)
  }

  /// Adds another part of the server.
  package mutating func add(_ part: some ProviderExtension) {
    extensions.append(part)
    part.adjust(&base)
  }
}

extension AuditLog.Event {
  /// The audit event of one of the provider's; nil for a redeemed code, whose tokens have a line of their own.
  fileprivate init?(_ event: ProviderEvent) {
    switch event {
    case .refreshToken(let event): self.init(event)
    case .code(let event): self.init(event)
    case .codeIssued(let client, let user):
      self.init("authorize.granted", user: user, client: client, address: .ofTokenRequest)
    case .tokensIssued(let client, let scopes):
      self.init("token.issued", client: client, detail: scopes.joined(separator: " "))
    case .unknownUserCode(let user, _): self.init("device.codeUnknown", user: user, address: .ofTokenRequest)
    case .accessTokenRevoked(let client, let user): self.init("token.revoked", user: user, client: client)
    case .clientRefused: self.init("client.refused", address: .ofTokenRequest)
    }
  }

  private init(_ event: RefreshTokenEvent) {
    let (name, detail): (String, String?) =
      switch event.kind {
      case .rotated: ("refresh.rotated", nil)
      case .replayed: ("refresh.replayed", nil)
      case .reuse: ("refresh.reused", "generation \(event.generation)")
      case .confirmationMismatch: ("refresh.proofMissing", nil)
      case .revoked(let reason): ("refresh.revoked", reason.description)
      }
    self.init(name, user: event.subject, client: event.clientID, detail: detail)
  }

  private init?(_ event: AuthorizationCodeEvent) {
    let (name, detail): (String, String?)
    switch event.kind {
    case .redeemed: return nil
    case .refused(let parameter): (name, detail) = ("code.refused", parameter)
    case .wrongClient: (name, detail) = ("code.refused", "client_id")
    case .reused: (name, detail) = ("code.reused", nil)
    }
    self.init(name, user: event.subject, client: event.clientID, detail: detail)
  }
}
