import JOSE
import PlatformSSOKit
import PureJOSETestSupport
import Testing

/// What administrators write: profile, declaration and association file.
@Suite("Profile, declaration and association file")
struct ProfileTests {
  private func named(_ code: ErrorCode, _ name: String? = nil) -> PlatformSSOError {
    PlatformSSOError(code, "", name: name)
  }

  private static func profile(_ change: (inout ExtensibleSSOProfile) -> Void = { _ in }) -> ExtensibleSSOProfile {
    var profile = ExtensibleSSOProfile(
      for: Fixture.configuration, extensionIdentifier: "com.example.mac.ssoe", teamIdentifier: "ABCDE12345",
      authenticationMethod: .password)
    change(&profile)
    return profile
  }

  /// Everything that a profile can have.
  private static func full() throws -> ExtensibleSSOProfile {
    let fields = try AdditionalHTTPHeaders([CustomValue("x-gateway", "k-1")])
    return profile {
      $0.screenLockedBehavior = "DoNotHandle"
      $0.deniedBundleIdentifiers = ["com.example.browser"]
      $0.extensionData = [
        .init("BaseURL", .string("https://idp.example.com/?a=1&b=<2>")),
        .init("flags", .array([.bool(false), .integer(-3)])),
        .init("blob", .data([0, 1, 255])), .init("empty", .dictionary([])),
      ]
      $0.registrationToken = "token-1"
      $0.accountDisplayName = "Example"
      $0.loginFrequency = 7200
      $0.enableAuthorization = true
      $0.enableCreateUserAtLogin = true
      $0.accountNameClaim = "preferred_username"
      $0.fullNameClaim = "name"
      $0.newUserAuthorizationMode = .temporary
      $0.userAuthorizationMode = .groups
      $0.administratorGroups = ["admins"]
      $0.additionalGroups = ["staff", "é"]
      $0.authorizationGroups = [.init("system.preferences", .string("admins"))]
      $0.policies.fileVault = ["RequireAuthentication", "AllowOfflineGracePeriod"]
      $0.policies.login = ["AttemptAuthentication"]
      $0.policies.unlock = ["AllowAuthenticationGracePeriod", "AllowTouchIDOrWatchForUnlock"]
      $0.policies.offlineGracePeriod = 86_400
      $0.policies.authenticationGracePeriod = 60
      $0.policies.nonPlatformSSOAccounts = ["localadmin"]
      $0.allowDeviceIdentifiersInAttestation = true
      $0.webLoginURLAllowList = ["https://login.example.com/"]
      $0.allowWebLoginPasswordSync = true
      $0.newUserAuthenticationMethods = ["Password", "SmartCard", "AccessKey", "OpenID"]
      $0.enableRegistrationDuringSetup = true
      $0.enableCreateFirstUserDuringSetup = false
      $0.temporarySessionQuickLogin = true
      $0.synchronizeProfilePicture = true
      var accessKey = ExtensibleSSOProfile.AccessKey()
      accessKey.readerGroupIdentifier = [UInt8](0..<16)
      accessKey.terminalIdentity = "5F0C1A52-0000-4000-8000-000000000002"
      accessKey.readerIssuerCertificate = "5F0C1A52-0000-4000-8000-000000000003"
      accessKey.allowExpressMode = true
      $0.accessKey = accessKey
      $0.additionalHTTPHeaders = fields
    }
  }

  @Test("A profile that was written is read again as it was, with every setting")
  func roundTrip() throws {
    let profile = try Self.full()
    let text = profile.configurationProfile(
      identifier: "com.example.sso", displayName: "Log in & out", organization: "Example", uuid: "U-1",
      payloadUUID: "U-2")
    #expect(text.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC"))
    #expect(text.contains("<string>com.apple.extensiblesso</string>") && text.contains("Log in &amp; out"))
    // A configuration profile has no key for header fields; the declaration has.
    var carried = profile
    carried.additionalHTTPHeaders = .none
    #expect(try ExtensibleSSOProfile(configurationProfile: Array(text.utf8)) == carried)
    #expect(!text.contains("AdditionalHTTPHeaders"))
    #expect(profile.findings().isEmpty, "\(profile.findings())")
    #expect(profile.findings(as: .configurationProfile).map(\.key) == ["AdditionalHTTPHeaders"])
    #expect(profile.findings(as: .declaration).isEmpty && carried.findings(as: .configurationProfile).isEmpty)
    let payload = profile.payload(identifier: "i", uuid: "u")
    #expect(try ExtensibleSSOProfile(payload: payload) == carried)
    // Who wrote them into one all the same is told so.
    let written = text.replacing(
      "<key>PlatformSSO</key>\n\t\t\t<dict>",
      with: "<key>PlatformSSO</key>\n<dict><key>AdditionalHTTPHeaders</key>"
        + "<dict><key>x-a</key><string>b</string></dict>")
    let read = try ExtensibleSSOProfile(configurationProfile: Array(written.utf8))
    #expect(read.findings(as: .configurationProfile).map(\.key) == ["AdditionalHTTPHeaders"])
    #expect(payload["PlatformSSO"]?["EnableCreateFirstUserDuringSetup"] == .bool(false))
    #expect(payload["PlatformSSO"]?["AccessKeyReaderGroupIdentifier"] == .data([UInt8](0..<16)))
    #expect(payload["TeamIdentifier"] == .string("ABCDE12345") && payload["Type"] == .string("Redirect"))
  }

  @Test("The declaration has the same settings under the names of the declarative form")
  func declaration() throws {
    let declaration = try Self.full().declaration(identifier: "d-1", serverToken: "t-1")
    #expect(declaration["Type"] == "com.apple.configuration.extensible-sso" && declaration["Identifier"] == "d-1")
    let payload = declaration["Payload"]?.objectValue ?? [:]
    #expect(payload["ExtensionComposedIdentifier"] == "com.example.mac.ssoe (ABCDE12345)")
    let sso = payload["PlatformSSO"]?.objectValue ?? [:]
    #expect(sso["RegistrationToken"] == "token-1" && payload["RegistrationToken"] == nil)
    #expect(sso["Account"]?.objectValue?["DisplayName"] == "Example")
    #expect(sso["UserCreation"]?.objectValue?["EnableAtLogin"] == true)
    #expect(
      sso["UserCreation"]?.objectValue?["TokenToUserMapping"] == [
        "AccountName": "preferred_username", "FullName": "name",
      ])
    #expect(sso["Authorization"]?.objectValue?["EnableIdentityProviderAccounts"] == true)
    #expect(sso["Policies"]?.objectValue?["OfflineGracePeriod"] == 86_400)
    #expect(sso["WebAuthentication"]?.objectValue?["URLAllowList"] == ["https://login.example.com/"])
    #expect(sso["AdditionalHTTPHeaders"] == ["x-gateway": "k-1"])
    #expect(payload["ExtensionData"]?.objectValue?["blob"] == "AAH/")
    #expect(payload["DeniedBundleIdentifiers"] == ["com.example.browser"])
    #expect(sso["Account"]?.objectValue?["SynchronizeProfilePicture"] == true)
    #expect(sso["UserCreation"]?.objectValue?["EnableFirstUserDuringSetup"] == false)
    #expect(sso["AccessKey"]?.objectValue?["ReaderGroupIdentifier"] == "AAECAwQFBgcICQoLDA0ODw==")
    #expect(sso["WebAuthentication"]?.objectValue?["AllowPasswordSync"] == true)
    let bare = Self.profile().declaration(identifier: "d")["Payload"]?.objectValue?["PlatformSSO"]
    #expect(bare == ["AuthenticationMethod": "Password", "UseSharedDeviceKeys": true])
  }

  @Test("A declaration that was written is read again as it was, and another one is refused by its key")
  func declarationRoundTrip() throws {
    var profile = try Self.full()
    // Data of the extension is text in JSON.
    profile.extensionData = [.init("BaseURL", .string("https://idp.example.com")), .init("n", .integer(-3))]
    let declaration = profile.declaration(identifier: "d-1")
    #expect(try ExtensibleSSOProfile(declaration: declaration.serialized()) == profile)
    let bare = Self.profile()
    #expect(try ExtensibleSSOProfile(declaration: bare.declaration(identifier: "d").serialized()) == bare)
    func error(_ change: (inout JSONObject, inout JSONObject) -> Void) -> PlatformSSOError? {
      var (changed, payload) = (declaration, declaration["Payload"]?.objectValue ?? [:])
      change(&changed, &payload)
      if changed["Payload"] != nil { changed["Payload"] = .object(payload) }
      do throws(PlatformSSOError) {
        _ = try ExtensibleSSOProfile(declaration: changed.serialized())
        return nil
      } catch { return error }
    }
    #expect(error { _, _ in } == nil)
    #expect(error { whole, _ in whole["Type"] = "com.apple.configuration.legacy" } == named(.claimMismatch, "Type"))
    #expect(error { whole, _ in whole["Payload"] = nil } == named(.claimMissing, "Payload"))
    #expect(error { _, payload in payload["PlatformSSO"] = nil } == named(.claimMissing, "PlatformSSO"))
    #expect(error { _, payload in payload["URLs"] = "x" } == named(.claimInvalid, "URLs"))
    #expect(error { _, payload in payload["URLs"] = .null } == named(.claimInvalid, "Payload"))
    for text in [
      "com.example.mac.ssoe", " (ABCDE12345)", "com.example ABCDE12345", "com.example (", "a (b) (c)", "a ()",
    ] {
      #expect(
        error { _, payload in payload["ExtensionComposedIdentifier"] = .string(text) }
          == named(.claimInvalid, "ExtensionComposedIdentifier"))
    }
    func inner(_ name: String, _ value: JSONValue) -> PlatformSSOError? {
      error { _, payload in
        var sso = payload["PlatformSSO"]?.objectValue ?? [:]
        sso[name] = value
        payload["PlatformSSO"] = .object(sso)
      }
    }
    #expect(inner("AuthenticationMethod", "Telepathy") == named(.claimInvalid, "AuthenticationMethod"))
    #expect(inner("LoginFrequency", "3600") == named(.claimInvalid, "LoginFrequency"))
    #expect(inner("Account", []) == named(.claimInvalid, "Account"))
    #expect(inner("AccessKey", ["ReaderGroupIdentifier": "!"]) == named(.claimInvalid, "ReaderGroupIdentifier"))
    let hexadecimal = (0..<16).map { "0" + String($0, radix: 16) }.joined()
    let text = String(decoding: declaration.serialized(), as: UTF8.self)
      .replacing("AAECAwQFBgcICQoLDA0ODw==", with: hexadecimal)
    #expect(text.contains(hexadecimal))
    #expect(try ExtensibleSSOProfile(declaration: Array(text.utf8)) == profile)
    #expect(inner("Policies", ["Login": [1]]) == named(.claimInvalid, "Login"))
    #expect(inner("AdditionalHTTPHeaders", ["Host": "x"])?.code == .fieldInvalid)
    #expect(throws: named(.malformed)) { try ExtensibleSSOProfile(declaration: Array("[]".utf8)) }
    // No cut and no changed octet makes it trap.
    let octets = declaration.serialized()
    for position in stride(from: 0, to: octets.count, by: 3) {
      _ = try? ExtensibleSSOProfile(declaration: Array(octets.prefix(position)))
      var changed = octets
      changed[position] ^= 0x1F
      _ = try? ExtensibleSSOProfile(declaration: changed)
    }
  }

  private static let faults: [(String, @Sendable (inout ExtensibleSSOProfile) -> Void)] = [
    ("ExtensionIdentifier", { $0.extensionIdentifier = "" }), ("TeamIdentifier", { $0.teamIdentifier = "abcde12345" }),
    ("TeamIdentifier", { $0.teamIdentifier = "ABCDE1234" }), ("Type", { $0.type = "Credential" }),
    ("URLs", { $0.urls = [] }),
    ("URLs", { $0.urls = ["https://idp.example.com/?a=1"] }), ("URLs", { $0.urls = ["ftp://idp.example.com/"] }),
    ("URLs", { $0.urls = ["https://idp.example.com/", "HTTPS://IDP.example.com/"] }),
    ("LoginFrequency", { $0.loginFrequency = 3599 }),
    (
      "EnableCreateUserAtLogin",
      {
        $0.enableCreateUserAtLogin = true
        $0.accountNameClaim = "u"
        $0.useSharedDeviceKeys = false
      }
    ),
    ("EnableCreateUserAtLogin", { $0.enableCreateUserAtLogin = true }),
    (
      "EnableCreateUserAtLogin",
      {
        $0.authenticationMethod = .userSecureEnclaveKey
        $0.enableCreateUserAtLogin = true
        $0.accountNameClaim = "u"
      }
    ),
    (
      "EnableAuthorization",
      {
        $0.enableAuthorization = true
        $0.useSharedDeviceKeys = false
      }
    ),
    ("WebLoginURLAllowList", { $0.authenticationMethod = .openID }),
    ("WebLoginURLAllowList", { $0.webLoginURLAllowList = ["https://*.example.com"] }),
    ("UserAuthorizationMode", { $0.userAuthorizationMode = .temporary }),
    ("NewUserAuthenticationMethods", { $0.newUserAuthenticationMethods = ["Password", "Telepathy"] }),
    ("AdministratorGroups", { $0.administratorGroups = (0..<101).map { "g\($0)" } }),
    ("AdministratorGroups", { $0.newUserAuthorizationMode = .groups }),
    ("ScreenLockedBehavior", { $0.screenLockedBehavior = "Ignore" }),
    ("LoginPolicy", { $0.policies.login = ["Whatever"] }),
    (
      "UnlockPolicy",
      {
        $0.authenticationMethod = .smartCard
        $0.policies.unlock = ["RequireAuthentication"]
      }
    ),
    ("OfflineGracePeriod", { $0.policies.login = ["AllowOfflineGracePeriod"] }),
    ("AuthenticationGracePeriod", { $0.policies.fileVault = ["AllowAuthenticationGracePeriod"] }),
  ]

  @Test("Each fault is found under its key, and a profile without any has none")
  func findings() {
    #expect(Self.profile().findings().isEmpty)
    for (index, (key, change)) in Self.faults.enumerated() {
      #expect(Self.profile(change).findings().map(\.key) == [key], "\(index)")
    }
  }

  @Test("Values that don't agree with the login configuration or with the provider are found")
  func agreement() throws {
    let profile = Self.profile()
    #expect(profile.findings(for: Fixture.configuration).isEmpty)
    #expect(profile.findings(for: Fixture.providerConfiguration).isEmpty)
    #expect(Fixture.configuration.findings(for: Fixture.providerConfiguration).isEmpty)
    let faults: [(String, (inout LoginConfiguration) throws -> Void)] = [
      ("clientID", { $0.clientID = "x" }), ("issuer", { $0.issuer = "x" }), ("audience", { $0.audience = "x" }),
      ("tokenEndpointURL", { $0.tokenEndpointURL += "/" }),
      ("refreshEndpointURL", { $0.refreshEndpointURL = "https://idp.example.com/r" }),
      ("serverNonceClaimName", { $0.serverNonceClaimName = "n" }),
      ("nonceResponseKeypath", { $0.nonceResponseKeypath = "nonce" }),
      ("customRequestJWTParameterName", { $0.customRequestJWTParameterName = "jwt" }),
      (
        "loginRequestEncryptionPublicKey",
        { $0.loginRequestEncryptionPublicKey = try VectorKeys.point("idp-login-encryption") }
      ),
      ("extensionSDK", { $0.extensionSDK = .macOS13 }),
    ]
    for (key, change) in faults {
      var configuration = Fixture.configuration
      try change(&configuration)
      #expect(configuration.findings(for: Fixture.providerConfiguration).map(\.key) == [key])
    }
    var elsewhere = Fixture.configuration
    elsewhere.keyEndpointURL = "https://keys.example.com/keys"
    #expect(profile.findings(for: elsewhere).map(\.key) == ["keyEndpointURL"])
    elsewhere.keyEndpointURL = "https://idp.example.com.evil.example/keys"
    #expect(profile.findings(for: elsewhere).map(\.key) == ["keyEndpointURL"])
    var provider = Fixture.providerConfiguration
    provider.requiredHTTPHeaders = try AdditionalHTTPHeaders([CustomValue("x-gateway", "k-1")])
    #expect(profile.findings(for: provider).map(\.key) == ["AdditionalHTTPHeaders"])
    #expect(Fixture.configuration.findings(for: provider).map(\.key) == ["additionalHTTPHeaders"])
    let browser = Self.profile {
      $0.authenticationMethod = .openID
      $0.webLoginURLAllowList = ["https://login.example.com"]
    }
    var web = Fixture.configuration
    #expect(browser.findings(for: web).map(\.key) == ["AuthenticationMethod"])
    web.federationType = .openID
    web.authorizationURL = "https://other.example.com/authorize"
    #expect(browser.findings(for: web).map(\.key) == ["WebLoginURLAllowList"])
    web.authorizationURL = "https://login.example.com/authorize"
    #expect(browser.findings(for: web).isEmpty)
  }

  @Test("A provider that asks for a Mac's identifiers needs the profile's leave")
  func attestation() throws {
    var policy = try AttestationPolicy(roots: [AttestationWorld().root.certificate])
    #expect(Self.profile().findings(for: policy).isEmpty)
    policy.requiresDeviceIdentifiers = true
    #expect(Self.profile().findings(for: policy).map(\.key) == ["AllowDeviceIdentifiersInAttestation"])
    #expect(Self.profile { $0.allowDeviceIdentifiersInAttestation = true }.findings(for: policy).isEmpty)
  }

  @Test("The association file names the application and the extension, and an answer without them is found out")
  func association() throws {
    let profile = Self.profile()
    let file = profile.appSiteAssociation(hostApplicationIdentifier: "com.example.mac")
    #expect(
      file.serialized()
        == Array(#"{"authsrv":{"apps":["ABCDE12345.com.example.mac","ABCDE12345.com.example.mac.ssoe"]}}"#.utf8))
    func findings(_ body: String, status: Int = 200, type: String = "application/json") throws -> [String] {
      profile.findings(
        appSiteAssociation: HTTPResponseValue(
          status: status, headers: try HTTPHeaderFields([("Content-Type", type)]), body: Array(body.utf8)),
        hostApplicationIdentifier: "com.example.mac"
      ).map(\.reason)
    }
    let good = String(decoding: file.serialized(), as: UTF8.self)
    #expect(try findings(good).isEmpty)
    #expect(try findings(good, status: 301).count == 1)
    #expect(try findings(good, type: "text/html").count == 1)
    #expect(try findings("[]").count == 1)
    #expect(try findings(#"{"authsrv":{"apps":[]}}"#).count == 2)
    #expect(try findings(#"{"authsrv":{"apps":["x"]}}"#).count == 3)
  }

  @Test("Property lists that are none are refused, whatever they try")
  func hostilePropertyLists() throws {
    func code(_ text: String) -> ErrorCode? {
      do throws(PlatformSSOError) {
        _ = try PropertyListValue(xmlDocument: Array(text.utf8))
        return nil
      } catch { return error.code }
    }
    func plist(_ body: String) -> String { "<plist version=\"1.0\">\(body)</plist>" }
    #expect(code(plist("<string>a&#x26;&lt;</string>")) == nil)
    #expect(code(plist("<!-- c --><dict><key>a</key><array/></dict>\n")) == nil)
    for text in [
      "", "<plist>", plist(""), plist("<string>"), plist("<string>a</integer>"), plist("<integer>x</integer>"),
      plist("<dict><key>a</key></dict>"), plist("<dict><string>a</string></dict>"),
      plist("<dict><key>a</key><true/><key>a</key><true/></dict>"), plist("<data>!</data>"),
      plist("<string>&x;</string>"),
      plist("<string>&#xD800;</string>"), plist("<string>a</string><string>b</string>"),
      plist("<string x=\"1\">a</string>"),
      plist("<string/>") + "x", "<!DOCTYPE plist [<!ENTITY a \"b\">]>" + plist("<string/>"), plist("<true>x</true>"),
      plist("<![CDATA[x]]>"), plist("<string>\u{0}&"), "<plist version=\"1.0\"><string>a",
    ] {
      #expect(code(text) == .malformed, "\(text)")
    }
    #expect(code(plist(String(repeating: "<array>", count: 40))) != nil)
    let deep = String(repeating: "<dict><key>a</key>", count: 40) + "<true/>" + String(repeating: "</dict>", count: 40)
    #expect(code(plist(deep)) == .limitExceeded)
    let text = Array(try Self.full().configurationProfile(identifier: "i", displayName: "d").utf8)
    // No cut and no changed octet makes it trap.
    for length in stride(from: 0, to: text.count, by: 7) {
      _ = try? ExtensibleSSOProfile(configurationProfile: Array(text.prefix(length)))
    }
    for position in stride(from: 0, to: text.count, by: 5) {
      var changed = text
      changed[position] ^= 0x1F
      _ = try? ExtensibleSSOProfile(configurationProfile: changed)
    }
  }
}
