import Hummingbird
import JOSE
import Logging
import Metrics
import NativeSSOKit
import OpenIDKit
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
  /// The logins, as tokens name them (`sid`).
  package let sessions: SessionRecords
  package let keys: KeyRing
  package let audit: AuditLog
  package let refreshTokens: RefreshTokenService
  package let codes: AuthorizationCodeService
  let passwords: PasswordHasher
  let seal: SealingKey
  let outgoing: OutgoingRequests
  /// The octets of the database, which take a while to count.
  let databaseSize: LastKnown<Int64>
  /// What the parts add to the metadata.
  let partMembers: LastKnown<[JSONObject]>
  /// The parts that were added to the server.
  package private(set) var extensions: [any ProviderExtension] = []

  /// Opens the folder, and makes missing parts if the settings say so.
  ///
  /// - Throws: ``StartRefusal``, what the file system and the database throw.
  package init(settings: ProviderSettings, clock: WallClock = .system, log: Logger) async throws {
    self.clock = clock
    self.log = log
    databaseSize = LastKnown(lifetime: 60, clock: clock)
    partMembers = LastKnown(lifetime: KeyRing.cacheLifetime, clock: clock)
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
    passwords = PasswordHasher(iterationCount: settings.passwordIterationCount)
    let sessions = SessionRecords(records: database.records, clock: clock)
    self.sessions = sessions
    users = UserRepository(database: database, sessions: sessions, clock: clock)
    clients = ClientRepository(database: database, issuer: self.settings.issuer, clock: clock)
    let audit = AuditLog(database: database, clock: clock, log: log)
    self.audit = audit
    var policy = RotationPolicy()
    policy.accessTokenLifetime = .seconds(settings.accessTokenLifetime)
    // The FAPI 2 test suite uses a replaced refresh token again after 30 seconds.
    policy.grace = .seconds(60)
    // A client that sends several requests in parallel stays logged in.
    policy.maximumReplays = 10
    policy.offlineAccessOutlivesSession = true
    policy.maximumFamiliesPerUserAndClient = settings.loginsPerClient
    refreshTokens = try RefreshTokenService(
      policy: policy, format: RefreshTokenFormat(key: secrets.refreshTokenKey), sessions: sessions,
      records: database.records, clock: clock,
      onEvent: { event in
        // Rotations are only counted: a line per hour and login would hide the other events.
        if case .rotated = event.kind { return Counter(label: "idp_refresh_rotations").increment() }
        Task { await audit.record(AuditLog.Event(event)) }
      })
    codes = try AuthorizationCodeService(
      refreshTokens: refreshTokens, lifetime: .seconds(settings.codeLifetime),
      retention: .seconds(settings.accessTokenLifetime + 86_400),
      revokedTokens: RevokedTokens(records: database.records, clock: clock), clock: clock,
      onEvent: { event in
        guard let event = AuditLog.Event(event) else { return }
        Task { await audit.record(event) }
      })
    if settings.database != nil { try ProviderFolder.noteMove(settings.folder) }
  }

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
  }

  /// The Native SSO provider for clients whose ID tokens have one algorithm. It answers the grants of all clients;
  /// device secrets are off until an extension turns them on.
  package func native(
    signingBy algorithm: String = "RS256", tokens: (any TokenIssuer)? = nil
  ) async throws -> NativeSSOProvider {
    let signing = try await keys.signingKey(algorithm)
    let others = try await keys.snapshot().published.keys.filter { $0.keyID != signing.keyID }
    var native = NativeSSOProvider(
      issuer: settings.issuer, keys: try IssuerKeys(signing: signing, retired: others), clients: clients,
      sessions: sessions, tokens: tokens ?? GrantTokenIssuer(provider: self),
      settings: SettingsResolver(NativeSSOSettings()), records: database.records,
      rateLimiter: database.rateLimits, clock: clock)
    native.policy.idTokenLifetime = .seconds(settings.idTokenLifetime)
    for part in extensions { part.adjust(&native) }
    return native
  }
}

extension AuditLog.Event {
  init(_ event: RefreshTokenEvent) {
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

  /// The audit event of a code's event; nil for a redeemed code, whose tokens have a line of their own.
  init?(_ event: AuthorizationCodeEvent) {
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
