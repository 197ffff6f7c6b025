import Configuration
import JOSE

/// What an operator may set. Times are in seconds.
package struct ProviderSettings: Sendable {
  /// The issuer identifier: under which clients reach the server, without a slash at its end.
  package var issuer: String
  /// Where the secrets are, and the database unless it is PostgreSQL's.
  package var folder: String
  /// How libpq reaches a database of PostgreSQL, in place of a file in the folder. It may hold a password.
  package var database: String?
  /// How many connections to it the process has at most.
  package var databaseConnections = 10
  /// For how long an authorization code is good.
  package var codeLifetime = 60
  /// For how long an access token is good.
  package var accessTokenLifetime = 3600.0
  /// For how long an ID token is good.
  package var idTokenLifetime = 3600.0
  /// For how long a browser's session lasts without a visit.
  package var sessionIdleTimeout = 8 * 3600.0
  /// For how long a browser's session lasts in any case.
  package var sessionLifetime = 24 * 3600.0
  /// For how long the audit log keeps a line.
  package var auditRetention = 400 * 86_400.0
  /// For how long a consent counts before the user is asked again.
  package var consentLifetime = 400 * 86_400.0
  /// How many logins a browser, or a name from an address, may try in a minute; an address, ten times as many.
  package var loginAttemptsPerMinute = 10
  /// For how many seconds it must wait after more.
  package var loginBlockDuration = 60
  /// How many requests of a network are kept in a minute that wait for a login, or that a public client pushes.
  package var keptRequestsPerMinute = 300
  /// How many rounds of PBKDF2 a password gets.
  package var passwordIterationCount = 600_000
  /// Whether proofs of possession need a nonce of this server.
  package var requiresDPoPNonce = true
  /// Who may read `/metrics` from elsewhere than this machine, by a bearer token; nil for nobody.
  package var metricsToken: String?
  /// Whether the address of a client stands in `X-Forwarded-For`, which a proxy sets.
  package var trustsForwardedAddress = false
  /// A PEM file with the authorities that clients' certificates may come from, instead of the system's.
  package var trustedRoots: String?
  /// Whether clients may be told of logouts at addresses of this machine and of private networks.
  package var allowsPrivateAddresses = false
  /// Whether the folder and what belongs into it are made if they aren't there: commands only use what is there.
  package var makesFolder = true
  /// Whether the end of a session waits until clients have been told: for a command, which ends right after it.
  package var awaitsLogoutMessages = false
  /// What pages call the operator.
  package var organizationName = "Identity Provider"

  /// Settings with the defaults.
  package init(issuer: String, folder: String) {
    (self.issuer, self.folder) = (issuer, folder)
  }

  /// Takes what the configuration says: variables such as `IDP_SESSION_IDLE_TIMEOUT`.
  package mutating func apply(_ reader: ConfigReader) {
    database = reader.string(forKey: "database", isSecret: true).flatMap { $0.isEmpty ? nil : $0 } ?? database
    databaseConnections = reader.int(forKey: "database.connections", default: databaseConnections)
    codeLifetime = reader.int(forKey: "code.lifetime", default: codeLifetime)
    accessTokenLifetime = reader.double(forKey: "access.token.lifetime", default: accessTokenLifetime)
    sessionIdleTimeout = reader.double(forKey: "session.idle.timeout", default: sessionIdleTimeout)
    sessionLifetime = reader.double(forKey: "session.lifetime", default: sessionLifetime)
    auditRetention = reader.double(forKey: "audit.retention", default: auditRetention)
    consentLifetime = reader.double(forKey: "consent.lifetime", default: consentLifetime)
    loginAttemptsPerMinute = reader.int(forKey: "login.attempts.per.minute", default: loginAttemptsPerMinute)
    loginBlockDuration = reader.int(forKey: "login.block.duration", default: loginBlockDuration)
    keptRequestsPerMinute = reader.int(forKey: "kept.requests.per.minute", default: keptRequestsPerMinute)
    requiresDPoPNonce = reader.bool(forKey: "dpop.nonce.required", default: requiresDPoPNonce)
    metricsToken = reader.string(forKey: "metrics.token", isSecret: true)
    trustsForwardedAddress = reader.bool(forKey: "forwarded.address.trusted", default: trustsForwardedAddress)
    trustedRoots = reader.string(forKey: "trust.roots")
    allowsPrivateAddresses = reader.bool(forKey: "private.addresses.allowed", default: allowsPrivateAddresses)
    organizationName = reader.string(forKey: "organization.name", default: organizationName)
  }

  /// Whether browsers reach the server by TLS.
  package var isSecure: Bool { issuer.hasPrefix("https://") }

  /// Whether cookies have to do without `Secure`: browsers are on this machine, and TLS is not.
  var hasPlainCookies: Bool { !isSecure && PlainHTTP.loopback.permits(issuer) }

  /// Refuses an issuer under which pages and clients would not work.
  package func checkIssuer() throws(StartRefusal) {
    let parts = issuer.split(separator: "/", omittingEmptySubsequences: false)
    guard PlainHTTP.loopback.permits(issuer), parts.count == 3, !issuer.contains("?"), issuer == issuer.lowercased()
    else {
      throw StartRefusal(
        "The issuer \(issuer) is not https://NAME or http://localhost:PORT, without a path: give another --issuer.")
    }
  }
}
