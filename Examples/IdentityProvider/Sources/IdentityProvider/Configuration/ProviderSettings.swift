import JOSE

/// The settings of an operator. Times are in seconds.
package struct ProviderSettings: Sendable {
  /// The issuer identifier: the address of the server for clients, without a slash at its end.
  package var issuer: String
  /// The folder with the secrets, and with the database unless it is PostgreSQL.
  package var folder: String
  /// The PostgreSQL database that replaces the file in the folder, as libpq takes it. It may hold a password.
  package var database: String?
  /// The largest number of connections to it from this process.
  package var databaseConnections = 10
  /// The lifetime of an authorization code.
  package var codeLifetime = 60
  /// The lifetime of an access token.
  package var accessTokenLifetime = 3600.0
  /// The lifetime of an ID token.
  package var idTokenLifetime = 3600.0
  /// How long a browser's session lasts without a visit.
  package var sessionIdleTimeout = 8 * 3600.0
  /// How long a browser's session lasts at most.
  package var sessionLifetime = 24 * 3600.0
  /// How long the audit log keeps a line.
  package var auditRetention = 400 * 86_400.0
  /// How long a consent counts before the user is asked again.
  package var consentLifetime = 400 * 86_400.0
  /// The number of login attempts in a minute for a browser, or for a name from one address; an address has ten times
  /// as many.
  package var loginAttemptsPerMinute = 10
  /// The wait after more attempts than that.
  package var loginBlockDuration = 60
  /// The number of logins of one user with one client that can be renewed. One more ends the oldest.
  package var loginsPerClient = 20
  /// How many seconds resource servers may keep the status list of access tokens; 0 for no list.
  package var statusListTimeToLive = 0
  /// The lifetime of an employee's card; 0 for no cards. No longer than keys are published that sign no more.
  package var employeeCardLifetime = 0.0
  /// The number of requests per minute that are stored for one network: requests that wait for a login, and those that
  /// a public client pushes.
  package var keptRequestsPerMinute = 300
  /// What a new password costs. Others are written anew when their users log in.
  package var passwordCost = PasswordCost.standard
  /// Whether proofs of possession need a nonce of this server.
  package var requiresDPoPNonce = true
  /// The bearer token for reading `/metrics` from another machine; nil if only this machine may.
  package var metricsToken: String?
  /// Whether a proxy sets `X-Forwarded-For` to the client's address.
  package var trustsForwardedAddress = false
  /// A PEM file with the authorities to trust for clients' certificates, instead of the system's.
  package var trustedRoots: String?
  /// Whether apps may ask for tokens without `openid`, for a resource server alone.
  package var acceptsPlainOAuth = false
  /// The hosts whose documents make an app known that is not registered (CIMD), in lower case; empty for none.
  package var documentHosts: [String] = []
  /// What such an app may ask for.
  package var documentScopes = ["openid", "profile", "email", "offline_access"]
  /// The resources that such an app may have tokens for.
  package var documentResources: [String] = []
  /// Whether logout tokens and requests for documents may go to addresses of this machine and of private networks.
  package var allowsPrivateAddresses = false
  /// Whether the folder and its files are made if they are missing: commands only use existing ones.
  package var makesFolder = true
  /// Whether ending a session waits until clients have been told: for a command, which exits right afterwards.
  package var awaitsLogoutMessages = false
  /// The operator's name on pages.
  package var organizationName = "Identity Provider"

  /// Settings with the defaults.
  package init(issuer: String, folder: String) {
    (self.issuer, self.folder) = (issuer, folder)
  }

  /// Reads the configuration: variables such as `IDP_SESSION_IDLE_TIMEOUT`.
  ///
  /// - Throws: `StartRefusal` for a value that is not in its form, which names the variable.
  package mutating func apply(_ reader: SettingReader) throws(StartRefusal) {
    let century = 36_525 * 86_400.0
    database = try reader.text("database", isSecret: true) ?? database
    databaseConnections = try reader.count(
      "database.connections", in: 1...1000, default: databaseConnections, unit: "connections")
    codeLifetime = try reader.count("code.lifetime", in: 1...600, default: codeLifetime, unit: "seconds")
    accessTokenLifetime = try reader.seconds("access.token.lifetime", in: 60...86_400, default: accessTokenLifetime)
    sessionIdleTimeout = try reader.seconds("session.idle.timeout", in: 60...century, default: sessionIdleTimeout)
    sessionLifetime = try reader.seconds("session.lifetime", in: 60...century, default: sessionLifetime)
    auditRetention = try reader.seconds("audit.retention", in: 60...century, default: auditRetention)
    consentLifetime = try reader.seconds("consent.lifetime", in: 60...century, default: consentLifetime)
    loginAttemptsPerMinute = try reader.count(
      "login.attempts.per.minute", in: 1...1_000_000, default: loginAttemptsPerMinute, unit: "attempts")
    loginBlockDuration = try reader.count(
      "login.block.duration", in: 1...86_400, default: loginBlockDuration, unit: "seconds")
    statusListTimeToLive = try reader.count(
      "status.list.ttl", in: 10...86_400, default: statusListTimeToLive, unit: "seconds")
    employeeCardLifetime = try reader.seconds(
      "employee.card.lifetime", in: 60...KeyRing.retirement, default: employeeCardLifetime)
    loginsPerClient = try reader.count("logins.per.client", in: 1...1000, default: loginsPerClient, unit: "logins")
    keptRequestsPerMinute = try reader.count(
      "kept.requests.per.minute", in: 1...1_000_000, default: keptRequestsPerMinute, unit: "requests")
    if let name = try reader.text("password.hash") {
      guard let cost = PasswordCost.named[name] else {
        throw reader.refusal("password.hash", name, PasswordCost.named.keys.sorted().joined(separator: " or "))
      }
      passwordCost = cost
    }
    requiresDPoPNonce = try reader.flag("dpop.nonce.required", default: requiresDPoPNonce)
    metricsToken = try reader.text("metrics.token", isSecret: true)
    trustsForwardedAddress = try reader.flag("forwarded.address.trusted", default: trustsForwardedAddress)
    if let roots = try reader.file("trust.roots") {
      guard roots.text.contains("-----BEGIN CERTIFICATE-----") else {
        throw reader.refusal("trust.roots", roots.path, "a file of certificates in PEM")
      }
      trustedRoots = roots.path
    }
    allowsPrivateAddresses = try reader.flag("private.addresses.allowed", default: allowsPrivateAddresses)
    acceptsPlainOAuth = try reader.flag("plain.oauth.allowed", default: acceptsPlainOAuth)
    documentHosts = try reader.words("client.document.hosts", "names of hosts", default: documentHosts) { name in
      name.utf8.allSatisfy { $0.isNamePart }
    }
    documentScopes = try reader.words("client.document.scopes", "scopes", default: documentScopes) { scope in
      scope.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
    documentResources = try reader.words(
      "client.document.resources", "https URIs without fragment", default: documentResources,
      PlainHTTP.loopback.permits)
    organizationName = try reader.text("organization.name") ?? organizationName
  }

  /// Whether browsers reach the server by TLS.
  package var isSecure: Bool { issuer.hasPrefix("https://") }

  /// Whether cookies go without `Secure`, because browsers are on this machine and there is no TLS.
  var hasPlainCookies: Bool { !isSecure && PlainHTTP.loopback.permits(issuer) }

  /// Refuses an issuer that pages and clients could not work with.
  package func checkIssuer() throws(StartRefusal) {
    let parts = issuer.split(separator: "/", omittingEmptySubsequences: false)
    guard PlainHTTP.loopback.permits(issuer), parts.count == 3, !issuer.contains("?"), issuer == issuer.lowercased()
    else {
      throw StartRefusal(
        "The issuer \(issuer) must be https://NAME or http://localhost:PORT, without a path: give another --issuer.")
    }
  }
}

extension UInt8 {
  /// Whether the octet can stand in a host's name.
  fileprivate var isNamePart: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
