import Configuration
import Foundation
import Logging
import NIOCore
import SQLStores
import Testing

@testable import IdentityProvider

/// What a server and a command need before they begin, and the sentences where it isn't there.
@Suite struct StartTests {
  private static let log = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

  /// Opens a folder as commands do, or as a server does. Returns why it can't be.
  private static func refusal(
    _ folder: String, makes: Bool = false, issuer: String = World.issuer
  ) async throws -> String? {
    var settings = ProviderSettings(issuer: issuer, folder: folder)
    settings.makesFolder = makes
    do {
      _ = try await Provider(settings: settings, log: log)
      return nil
    } catch let error as StartRefusal {
      return error.description
    }
  }

  private static func mode(_ path: String) -> Int? { ProviderFolder.mode(path).map { $0 & 0o777 } }

  @Test func `an existing folder keeps its mode, and one that all accounts may write is refused`() async throws {
    try await World.run { world in
      let folder = world.provider.settings.folder
      for mode in [0o750, 0o770, 0o755] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
        for makes in [false, true] {
          #expect(try await Self.refusal(folder, makes: makes) == nil)
          #expect(Self.mode(folder) == mode)
        }
      }
      #expect(Self.mode(folder + "/secrets.json") == 0o600 && Self.mode(folder + "/provider.sqlite") == 0o600)
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
      #expect(try await Self.refusal(folder, makes: true)?.hasPrefix("Every account may write") == true)
      #expect(Self.mode(folder) == 0o777)
    }
  }

  @Test func `a secrets file that others can read gets mode 0600 again`() async throws {
    try await World.run { world in
      let secrets = world.provider.settings.folder + "/secrets.json"
      for mode in [0o644, 0o640] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: secrets)
        #expect(try await Self.refusal(world.provider.settings.folder) == nil)
        #expect(Self.mode(secrets) == 0o600)
      }
    }
  }

  @Test func `a command creates no missing folder and no missing secrets`() async throws {
    let folder = NSTemporaryDirectory() + "idp-start-" + RandomText.make(byteCount: 8)
    #expect(try await Self.refusal(folder)?.hasPrefix("There is no folder") == true)
    #expect(Self.mode(folder) == nil)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(try await Self.refusal(folder)?.hasPrefix("There is no secrets.json") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    let file = folder + "/file"
    #expect(FileManager.default.createFile(atPath: file, contents: nil))
    #expect(try await Self.refusal(file, makes: true)?.contains("can't be made:") == true)
  }

  @Test func `a database without its secrets, or of a newer version, is left alone`() async throws {
    try await World.run { world in
      let folder = world.provider.settings.folder
      try await world.provider.database.run("INSERT INTO grdb_migrations (identifier) VALUES ('idp999')")
      #expect(try await Self.refusal(folder, makes: true)?.hasPrefix("A newer version") == true)
      try FileManager.default.removeItem(atPath: folder + "/secrets.json")
      #expect(try await Self.refusal(folder, makes: true)?.hasPrefix("There is no secrets.json") == true)
      #expect(Self.mode(folder + "/secrets.json") == nil)
    }
  }

  @Test func `a folder whose database is in PostgreSQL is not opened without it, nor by an empty name`() async throws {
    try await World.run { world in
      var settings = world.provider.settings
      settings.database = ""
      let unnamed = settings
      let refusal = await #expect(throws: StartRefusal.self) {
        _ = try await Provider(settings: unnamed, log: Self.log)
      }
      #expect(refusal?.description.contains("names no database") == true)
      let folder = settings.folder
      try ProviderFolder.noteMove(folder)
      #expect(Self.mode(folder + ProviderFolder.moveMark) == 0o600)
      for _ in 0..<2 {
        #expect(try await Self.refusal(folder, makes: true)?.contains("IDP_DATABASE") == true)
        try? FileManager.default.removeItem(atPath: folder + "/provider.sqlite")
      }
      #expect(Self.mode(folder + "/provider.sqlite") == nil)
    }
  }

  @Test func `a key that the secrets don't open keeps the server from starting before it is in use`() async throws {
    try await World.run { world in
      let sealed = try SealingKey(RandomText.octets(32)).seal([1])
      try await world.provider.database.run(
        "UPDATE signingKeys SET sealedKey = ? WHERE algorithm = 'ES256' AND state = 'next'", [.text(sealed)])
      #expect(try await Self.refusal(world.provider.settings.folder)?.contains("belong to this database") == true)
    }
  }

  @Test func `a server with another issuer than the first one's doesn't start, unless the provider was moved`()
    async throws
  {
    try await World.run { world in
      let (folder, other) = (world.provider.settings.folder, "https://other.example")
      for makes in [false, true] {
        let refusal = try await Self.refusal(folder, makes: makes, issuer: other)
        #expect(refusal?.contains("give --issuer \(World.issuer)") == true)
        #expect(refusal?.contains("idp migrate --issuer \(other)") == true)
        #expect(try await Self.refusal(folder, makes: makes) == nil)
      }
      await #expect(throws: StartRefusal.self) { try await world.provider.move(to: "http://other.example") }
      #expect(try await Self.refusal(folder, makes: true) == nil)
      try await world.provider.move(to: other)
      #expect(try await world.provider.audit.entries(named: "issuer.changed").count == 1)
      #expect(try await Self.refusal(folder, makes: true)?.contains("give --issuer \(other)") == true)
      #expect(try await Self.refusal(folder, makes: true, issuer: other) == nil)
      // Commands that are given none have the servers'.
      let provider = try await Provider(settings: ProviderSettings(issuer: "", folder: folder), log: Self.log)
      #expect(provider.settings.issuer == other && provider.clients.issuer == other)
    }
  }

  @Test func `neither a command nor a server that can't start gives a provider its issuer`() async throws {
    let folder = try await World.makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(try await Self.refusal(folder, issuer: "https://other.example") == nil)
    let (secrets, own) = (folder + "/secrets.json", folder + "/own.json")
    try FileManager.default.moveItem(atPath: secrets, toPath: own)
    _ = try ProviderSecrets(folder: folder)
    #expect(try await Self.refusal(folder, makes: true, issuer: "https://other.example")?.contains("belong") == true)
    try FileManager.default.removeItem(atPath: secrets)
    try FileManager.default.moveItem(atPath: own, toPath: secrets)
    #expect(try await Self.refusal(folder, makes: true) == nil)
  }

  /// All settings of the server but those of devices, by what may stand there.
  private static let settings: [(names: [String], good: String, bad: [String])] = [
    (
      [
        "DATABASE_CONNECTIONS", "CODE_LIFETIME", "LOGIN_ATTEMPTS_PER_MINUTE", "LOGIN_BLOCK_DURATION",
        "KEPT_REQUESTS_PER_MINUTE", "LOGINS_PER_CLIENT", "STATUS_LIST_TTL",
      ],
      "30", ["abc", "-5", "0", "", "8h", " 30", "1e3", "3.5", "99999999999999999999", "\u{663}\u{660}", "nan"]
    ),
    (
      [
        "ACCESS_TOKEN_LIFETIME", "SESSION_IDLE_TIMEOUT", "SESSION_LIFETIME", "AUDIT_RETENTION", "CONSENT_LIFETIME",
        "EMPLOYEE_CARD_LIFETIME",
      ],
      "300.5", ["abc", "-300", "0", "", "8h", "nan", "inf", "1e3", "0x1000", "300.5.5", "9999999999999"]
    ),
    (
      ["DPOP_NONCE_REQUIRED", "FORWARDED_ADDRESS_TRUSTED", "PRIVATE_ADDRESSES_ALLOWED", "PLAIN_OAUTH_ALLOWED"], "true",
      ["yess", "", "2", "on", "tru", " true"]
    ),
    (
      ["CLIENT_DOCUMENT_HOSTS"], "agents.example.com Tools.example",
      ["", " ", "https://agents.example.com", "a/b", "*", "a@b", "a:443", "a\nb", "\u{E4}.example"]
    ),
    (["CLIENT_DOCUMENT_SCOPES"], "openid notes.read", ["", " ", "a\nb", "a\"b", "a\\b", "\u{E4}", "\u{7F}"]),
    (
      ["CLIENT_DOCUMENT_RESOURCES"], "https://notes.example.com/mcp http://127.0.0.1:8700/mcp",
      ["", " ", "notes", "http://notes.example.com", "https://notes.example.com/#a", "a\nb"]
    ),
    (["PASSWORD_HASH"], "argon2id", ["", "pbkdf2", "Argon2id", "argon2id ", "$argon2id$", "a\nb"]),
    (["TRUST_ROOTS"], "/etc/ssl/certs/ca-certificates.crt", ["", "/nope", "/etc/hostname", "/", "a\nb", "-"]),
    (
      ["DATABASE", "METRICS_TOKEN", "ORGANIZATION_NAME"], "a",
      ["", "a\nb", "\u{1B}[2J", "\u{7F}", "a\u{0}", String(repeating: "a", count: 4097)]
    ),
  ]

  private static func apply(_ variables: [String: String], to names: SettingNames = SettingNames()) throws
    -> ProviderSettings
  {
    let provider = EnvironmentVariablesProvider(environmentVariables: variables)
    var settings = ProviderSettings(issuer: "", folder: "")
    try settings.apply(SettingReader(ConfigReader(provider: provider, accessReporter: names).scoped(to: "idp")))
    return settings
  }

  @Test func `an invalid setting stops the server at start with an error that names it`() throws {
    let known = Self.settings.flatMap(\.names).map { "IDP_" + $0 }
    for (names, good, bad) in Self.settings {
      for name in names {
        if good != "/etc/ssl/certs/ca-certificates.crt" || FileManager.default.fileExists(atPath: good) {
          _ = try Self.apply(["IDP_" + name: good])
        }
        for value in bad {
          let refusal = #expect(throws: StartRefusal.self) { try Self.apply(["IDP_" + name: value]) }
          #expect(refusal?.description.hasPrefix("IDP_\(name) ") == true, "\(refusal?.description ?? "")")
          // What moves a terminal is escaped.
          #expect(refusal?.description.unicodeScalars.contains { $0.properties.generalCategory == .control } == false)
        }
      }
    }
    // No setting that this table doesn't have is read.
    let names = SettingNames()
    _ = try Self.apply([:], to: names)
    try names.check(known)
    for name in ["IDP_X"] { #expect(throws: StartRefusal.self) { try names.check([name]) } }
    #expect(names.names == Set(known))
  }

  @Test func `settings from the environment take effect with their parsed values`() throws {
    let settings = try Self.apply([
      "IDP_SESSION_LIFETIME": "28800", "IDP_CONSENT_LIFETIME": "60", "IDP_FORWARDED_ADDRESS_TRUSTED": "Yes",
      "IDP_DPOP_NONCE_REQUIRED": "0", "IDP_LOGIN_ATTEMPTS_PER_MINUTE": "007",
      "IDP_PASSWORD_HASH": "pbkdf2-sha256",
    ])
    #expect(settings.sessionLifetime == 28_800 && settings.consentLifetime == 60 && settings.trustsForwardedAddress)
    #expect(!settings.requiresDPoPNonce && settings.loginAttemptsPerMinute == 7 && settings.codeLifetime == 60)
    #expect(settings.passwordCost == .pbkdf2(iterationCount: 600_000))
  }

  @Test func `an unknown setting is refused with its name and the nearest known one`() throws {
    let names = SettingNames()
    let reader = ConfigReader(provider: InMemoryProvider(values: [:]), accessReporter: names).scoped(to: "idp")
    var settings = ProviderSettings(issuer: "", folder: "")
    try settings.apply(SettingReader(reader))
    try names.check(["IDP_SESSION_LIFETIME", "IDP_METRICS_TOKEN", "PATH", "idp_x"])
    for (name, nearest) in [
      ("IDP_SESION_LIFETIME", "IDP_SESSION_LIFETIME"), ("IDP_FORWARDED_ADDRESS_TRUST", "IDP_FORWARDED_ADDRESS_TRUSTED"),
    ] {
      let refusal = #expect(throws: StartRefusal.self) { try names.check(["IDP_METRICS_TOKEN", name]) }
      #expect(refusal?.description.contains("\(name): \(nearest) ") == true)
    }
  }

  @Test func `service variables of Kubernetes are not mistaken for settings`() throws {
    let names = SettingNames()
    let reader = ConfigReader(provider: InMemoryProvider(values: [:]), accessReporter: names).scoped(to: "idp")
    _ = reader.string(forKey: "metrics.token")
    let links = ["IDP", "IDP_DB"].flatMap { service in
      [
        "SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTPS", "PORT", "PORT_443_TCP", "PORT_443_TCP_PROTO",
        "PORT_443_TCP_PORT", "PORT_443_TCP_ADDR", "PORT_53_UDP_ADDR",
      ].map { service + "_" + $0 }
    }
    try names.check(links + ["IDP_METRICS_TOKEN"])
    for name in ["IDP_PORTS", "IDP_PORT_TCP", "IDP_SERVICE_HOSTS", "IDP_CACHE_PORT", "IDP_DBX_PORT"] {
      let refusal = #expect(throws: StartRefusal.self) { try names.check(links + [name]) }
      #expect(refusal?.description.contains("\(name):") == true)
    }
    // Of a service that there is not they would be settings.
    for name in links where name.hasSuffix("_PORT") {
      #expect(throws: StartRefusal.self, "\(name)") { try names.check([name]) }
    }
    // A setting that is named like a link is known, and so the nearest to what is like it.
    _ = reader.string(forKey: "port")
    let refusal = #expect(throws: StartRefusal.self) { try names.check(links + ["IDP_PORTT"]) }
    #expect(refusal?.description.contains("IDP_PORTT: IDP_PORT ") == true)
  }

  @Test func `a server address is shown with a host name, and a port out of range is refused`() throws {
    let address = try ServerAddress(host: "127.0.0.1", port: 8080, isSecure: false)
    #expect(address.url == "http://localhost:8080")
    #expect(try ServerAddress(host: "::1", port: 1, isSecure: true).url == "https://[::1]:1")
    for port in [-1, 65_536, 99_999] {
      #expect(throws: StartRefusal.self) { try ServerAddress(host: "127.0.0.1", port: port, isSecure: false) }
    }
    let used = address.refusal(IOError(errnoCode: EADDRINUSE, reason: "bind(descriptor:ptr:bytes:)"))
    #expect(used.description.contains("port 8080") && !used.description.contains("descriptor"))
  }

  @Test(arguments: [
    ("https://login.example.com", true), ("https://localhost:8443", true), ("http://localhost:8080", true),
    ("http://127.0.0.1:8080", true), ("http://[::1]:8080", true), ("foo", false), ("", false),
    ("https://login.example.com/", false), ("https://login.example.com/idp", false), ("https://a.example?b=c", false),
    ("https://a.example#b", false), ("https://user@a.example", false), ("http://login.example.com", false),
    ("http://0.0.0.0:8080", false), ("HTTPS://a.example", false), ("https://A.example", false),
  ])
  func `an issuer is an origin that browsers trust`(issuer: String, isFine: Bool) {
    var isTaken = true
    do {
      try ProviderSettings(issuer: issuer, folder: "").checkIssuer()
    } catch {
      isTaken = false
    }
    #expect(isTaken == isFine)
  }
}
