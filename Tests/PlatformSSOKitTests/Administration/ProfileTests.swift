import JOSE
@testable import PlatformSSOKit
import PureJOSETestSupport
import Testing

/// What administrators write: profile, declaration and association file.
@Suite("Profile, declaration and association file")
struct ProfileTests {
  private func named(_ code: ErrorCode, _ name: String? = nil) -> JOSEError {
    JOSEError(code, "", name: name)
  }

  private static func profile() -> ExtensibleSSOProfile {
    ExtensibleSSOProfile(
      for: Fixture.configuration, extensionIdentifier: "com.example.mac.ssoe", teamIdentifier: "ABCDE12345",
      authenticationMethod: .password)
  }

  private static func profile(
    changing change: (inout ExtensibleSSOProfile) throws -> Void
  ) rethrows -> ExtensibleSSOProfile {
    var profile = profile()
    try change(&profile)
    return profile
  }

  private static func texts(_ texts: String...) -> PropertyListValue { .array(texts.map { .string($0) }) }

  /// A value for each key that a profile can have.
  private static let settings: [(String, PropertyListValue)] = [
    ("ScreenLockedBehavior", .string("DoNotHandle")), ("DeniedBundleIdentifiers", texts("com.example.browser")),
    (
      "ExtensionData",
      .dictionary([
        .init("BaseURL", .string("https://idp.example.com/?a=1&b=<2>")),
        .init("flags", .array([.bool(false), .integer(-3)])), .init("blob", .data([0, 1, 255])),
        .init("empty", .dictionary([])),
      ])
    ),
    ("RegistrationToken", .string("token-1")), ("AccountDisplayName", .string("Example")),
    ("LoginFrequency", .integer(7200)), ("EnableAuthorization", .bool(true)),
    ("EnableCreateUserAtLogin", .bool(true)), ("TokenToUserMapping", mapping),
    ("NewUserAuthorizationMode", .string("Temporary")), ("UserAuthorizationMode", .string("Groups")),
    ("AdministratorGroups", texts("admins")), ("AdditionalGroups", texts("staff", "é")),
    ("AuthorizationGroups", .dictionary([.init("system.preferences", .string("admins"))])),
    ("FileVaultPolicy", texts("RequireAuthentication", "AllowOfflineGracePeriod")),
    ("LoginPolicy", texts("AttemptAuthentication")),
    ("UnlockPolicy", texts("AllowAuthenticationGracePeriod", "AllowTouchIDOrWatchForUnlock")),
    ("OfflineGracePeriod", .integer(86_400)), ("AuthenticationGracePeriod", .integer(60)),
    ("NonPlatformSSOAccounts", texts("localadmin")), ("AllowDeviceIdentifiersInAttestation", .bool(true)),
    ("WebLoginURLAllowList", texts("https://login.example.com/")), ("AllowWebLoginPasswordSync", .bool(true)),
    ("NewUserAuthenticationMethods", texts("Password", "SmartCard", "AccessKey", "OpenID")),
    ("EnableRegistrationDuringSetup", .bool(true)), ("EnableCreateFirstUserDuringSetup", .bool(false)),
    ("TemporarySessionQuickLogin", .bool(true)), ("SynchronizeProfilePicture", .bool(true)),
    ("AccessKeyReaderGroupIdentifier", .data([UInt8](0..<16))),
    ("AccessKeyTerminalIdentityUUID", .string("5F0C1A52-0000-4000-8000-000000000002")),
    ("AccessKeyReaderIssuerCertificateUUID", .string("5F0C1A52-0000-4000-8000-000000000003")),
    ("AllowAccessKeyExpressMode", .bool(true)), ("Type", .string("Redirect")),
  ]

  private static let mapping = PropertyListValue.dictionary([
    .init("AccountName", .string("preferred_username")), .init("FullName", .string("name")),
  ])

  @Test("Each setting that a profile has is set here, and a value of another type is refused by its key")
  func settings() throws {
    #expect(Set(Self.settings.map(\.0)) == Set(ProfileSetting.all.map(\.key)))
    var profile = Self.profile()
    for (key, value) in Self.settings {
      for wrong: PropertyListValue in [
        .array([.integer(1)]), .string("x"), .integer(5), .bool(false), .data([1]), .dictionary([]),
      ] {
        guard !Self.isOfOneKind(value, wrong) || key.hasSuffix("AuthorizationMode") else { continue }
        #expect(throws: named(.claimInvalid, key)) { try profile.set(key, to: wrong) }
      }
      try profile.set(key, to: value)
      #expect(profile[key] == value)
      try profile.set(key, to: nil)
      #expect(profile[key] == nil)
    }
    #expect(throws: named(.claimInvalid, "LoginFrequenzy")) { try profile.set("LoginFrequenzy", to: .integer(7200)) }
    #expect(throws: named(.claimInvalid, "TokenToUserMapping")) {
      try profile.set("TokenToUserMapping", to: .dictionary([.init("AccountName", .integer(1))]))
    }
    // What its absence says leaves no trace.
    try profile.set("EnableAuthorization", to: .bool(false))
    try profile.set("EnableCreateFirstUserDuringSetup", to: .bool(true))
    try profile.set("AdditionalGroups", to: .array([]))
    for key in ["EnableAuthorization", "EnableCreateFirstUserDuringSetup", "AdditionalGroups"] {
      #expect(profile[key] == nil)
    }
  }

  private static func isOfOneKind(_ one: PropertyListValue, _ other: PropertyListValue) -> Bool {
    switch (one, other) {
    case (.string, .string), (.integer, .integer), (.bool, .bool), (.data, .data), (.dictionary, .dictionary): true
    // Data may be text in base64, as JSON has it; "x" is none.
    default: false
    }
  }

  /// Everything that a profile can have.
  private static func full() throws -> ExtensibleSSOProfile {
    let fields = try AdditionalHTTPHeaders(["x-gateway": "k-1"])
    return try profile {
      for (key, value) in Self.settings { try $0.set(key, to: value) }
      $0.additionalHTTPHeaders = fields
    }
  }

  @Test("A profile that was written is read again as it was, with every setting")
  func roundTrip() throws {
    let profile = try Self.full()
    let text = try profile.configurationProfile(
      identifier: "com.example.sso", displayName: "Log in & out", organization: "Example",
      uuid: "3D0E4C0A-0B1F-4C84-9E56-6E3F6A4A9C01",
      payloadUUID: "3D0E4C0A-0B1F-4C84-9E56-6E3F6A4A9C02")
    #expect(text.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC"))
    #expect(text.contains("<string>com.apple.extensiblesso</string>") && text.contains("Log in &amp; out"))
    // A configuration profile has no key for header fields; the declaration has.
    var carried = profile
    carried.additionalHTTPHeaders = .none
    #expect(try ExtensibleSSOProfile(configurationProfile: Array(text.utf8)) == carried)
    #expect(!text.contains("AdditionalHTTPHeaders"))
    #expect(profile.findings(inConfigurationProfile: true).map(\.key) == ["AdditionalHTTPHeaders"])
    #expect(profile.findings().isEmpty && carried.findings(inConfigurationProfile: true).isEmpty)
    let payload = profile.payload(identifier: "i", uuid: "u")
    #expect(try ExtensibleSSOProfile(payload: payload) == carried)
    // Who wrote them into one all the same is told so.
    let written = text.replacing(
      "<key>PlatformSSO</key>\n\t\t\t<dict>",
      with: "<key>PlatformSSO</key>\n<dict><key>AdditionalHTTPHeaders</key>"
        + "<dict><key>x-a</key><string>b</string></dict>")
    let read = try ExtensibleSSOProfile(configurationProfile: Array(written.utf8))
    #expect(read.findings(inConfigurationProfile: true).map(\.key) == ["AdditionalHTTPHeaders"])
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
    try profile.set(
      "ExtensionData",
      to: .dictionary([.init("BaseURL", .string("https://idp.example.com")), .init("n", .integer(-3))]))
    let declaration = profile.declaration(identifier: "d-1")
    #expect(try ExtensibleSSOProfile(declaration: declaration.serialized()) == profile)
    let bare = Self.profile()
    #expect(try ExtensibleSSOProfile(declaration: bare.declaration(identifier: "d").serialized()) == bare)
    func error(_ change: (inout JSONObject, inout JSONObject) -> Void) -> JOSEError? {
      var (changed, payload) = (declaration, declaration["Payload"]?.objectValue ?? [:])
      change(&changed, &payload)
      if changed["Payload"] != nil { changed["Payload"] = .object(payload) }
      do throws(JOSEError) {
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
    func inner(_ name: String, _ value: JSONValue) -> JOSEError? {
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

  private static let faults: [(String, @Sendable (inout ExtensibleSSOProfile) throws -> Void)] = [
    ("ExtensionIdentifier", { $0.extensionIdentifier = "" }), ("TeamIdentifier", { $0.teamIdentifier = "abcde12345" }),
    ("TeamIdentifier", { $0.teamIdentifier = "ABCDE1234" }),
    ("Type", { try $0.set("Type", to: .string("Credential")) }),
    ("URLs", { $0.urls = [] }),
    ("URLs", { $0.urls = ["https://idp.example.com/?a=1"] }), ("URLs", { $0.urls = ["ftp://idp.example.com/"] }),
    ("URLs", { $0.urls = ["https://idp.example.com/", "HTTPS://IDP.example.com/"] }),
    ("LoginFrequency", { try $0.set("LoginFrequency", to: .integer(3599)) }),
    (
      "EnableCreateUserAtLogin",
      {
        try $0.set("EnableCreateUserAtLogin", to: .bool(true))
        try $0.set("TokenToUserMapping", to: mapping)
        $0.useSharedDeviceKeys = false
      }
    ),
    ("EnableCreateUserAtLogin", { try $0.set("EnableCreateUserAtLogin", to: .bool(true)) }),
    (
      "EnableCreateUserAtLogin",
      {
        $0.authenticationMethod = .userSecureEnclaveKey
        try $0.set("EnableCreateUserAtLogin", to: .bool(true))
        try $0.set("TokenToUserMapping", to: mapping)
      }
    ),
    (
      "EnableAuthorization",
      {
        try $0.set("EnableAuthorization", to: .bool(true))
        $0.useSharedDeviceKeys = false
      }
    ),
    ("WebLoginURLAllowList", { $0.authenticationMethod = .openID }),
    ("WebLoginURLAllowList", { try $0.set("WebLoginURLAllowList", to: texts("https://*.example.com")) }),
    ("UserAuthorizationMode", { try $0.set("UserAuthorizationMode", to: .string("Temporary")) }),
    (
      "NewUserAuthenticationMethods", { try $0.set("NewUserAuthenticationMethods", to: texts("Password", "Telepathy")) }
    ),
    (
      "AdministratorGroups",
      { try $0.set("AdministratorGroups", to: .array((0..<101).map { .string("g\($0)") })) }
    ),
    ("AdministratorGroups", { try $0.set("NewUserAuthorizationMode", to: .string("Groups")) }),
    ("ScreenLockedBehavior", { try $0.set("ScreenLockedBehavior", to: .string("Ignore")) }),
    ("LoginPolicy", { try $0.set("LoginPolicy", to: texts("Whatever")) }),
    (
      "UnlockPolicy",
      {
        $0.authenticationMethod = .smartCard
        try $0.set("UnlockPolicy", to: texts("RequireAuthentication"))
      }
    ),
    ("OfflineGracePeriod", { try $0.set("LoginPolicy", to: texts("AllowOfflineGracePeriod")) }),
    ("AuthenticationGracePeriod", { try $0.set("FileVaultPolicy", to: texts("AllowAuthenticationGracePeriod")) }),
    ("NewUserAuthorizationMode", { try $0.set("NewUserAuthorizationMode", to: .string("Temporary")) }),
    ("TemporarySessionQuickLogin", { try $0.set("TemporarySessionQuickLogin", to: .bool(true)) }),
    ("NewUserAuthenticationMethods", { try $0.set("NewUserAuthenticationMethods", to: texts("Password")) }),
    (
      "AdministratorGroups",
      {
        try $0.set("UserAuthorizationMode", to: .string("Groups"))
        try $0.set("AdministratorGroups", to: texts("staff", "staff"))
      }
    ),
    ("AdditionalGroups", { try $0.set("AdditionalGroups", to: texts("staff", "staff")) }),
    ("AdministratorGroups", { try $0.set("AdministratorGroups", to: texts("staff")) }),
    (
      "AuthorizationGroups",
      { try $0.set("AuthorizationGroups", to: .dictionary([.init("system.preferences", .string("staff"))])) }
    ),
    (
      "AccessKeyReaderGroupIdentifier",
      {
        try $0.set("EnableCreateUserAtLogin", to: .bool(true))
        try $0.set("TokenToUserMapping", to: mapping)
        try $0.set("NewUserAuthenticationMethods", to: texts("AccessKey"))
      }
    ),
    (
      "AccessKeyTerminalIdentityUUID",
      { try $0.set("AccessKeyReaderGroupIdentifier", to: .data([UInt8](repeating: 1, count: 16))) }
    ),
    ("AllowAccessKeyExpressMode", { try $0.set("AllowAccessKeyExpressMode", to: .bool(true)) }),
    ("WebLoginURLAllowList", { try $0.set("WebLoginURLAllowList", to: texts("https://login.example.com")) }),
    ("AllowWebLoginPasswordSync", { try $0.set("AllowWebLoginPasswordSync", to: .bool(true)) }),
    (
      "LoginPolicy",
      {
        try $0.set("LoginPolicy", to: texts("AttemptAuthentication", "RequireAuthentication"))
        try $0.set("NonPlatformSSOAccounts", to: texts("admin"))
      }
    ),
    ("UnlockPolicy", { try $0.set("UnlockPolicy", to: texts("RequireTouchID", "RequireTouchIDOrWatch")) }),
    ("OfflineGracePeriod", { try $0.set("OfflineGracePeriod", to: .integer(60)) }),
    (
      "OfflineGracePeriod",
      {
        try $0.set("LoginPolicy", to: texts("AllowOfflineGracePeriod"))
        try $0.set("OfflineGracePeriod", to: .integer(-1))
      }
    ),
    ("NonPlatformSSOAccounts", { try $0.set("NonPlatformSSOAccounts", to: texts("admin")) }),
    ("NonPlatformSSOAccounts", { try $0.set("LoginPolicy", to: texts("RequireAuthentication")) }),
  ]

  /// What is written in place of something in a sound profile, and the key that a finding then names.
  private static let misspellings: [(key: String, old: String, new: String)] = [
    ("LoginFrequenzy", "<key>LoginFrequency</key>", "<key>LoginFrequenzy</key>"),
    ("loginFrequency", "<key>LoginFrequency</key>", "<key>loginFrequency</key>"),
    ("EnableEverything", "<key>LoginFrequency</key>", "<key>EnableEverything</key>"),
    (
      "ScreenLockedBehavior", "<key>LoginFrequency</key><integer>7200</integer>",
      "<key>ScreenLockedBehavior</key><string>Cancel</string>"
    ),
    (
      "LoginFrequency", "<key>PlatformSSO</key>",
      "<key>LoginFrequency</key><integer>7200</integer><key>PlatformSSO</key>"
    ),
    (
      "AuthenticationMethod", "<key>PlatformSSO</key>",
      "<key>AuthenticationMethod</key><string>Password</string><key>PlatformSSO</key>"
    ),
    ("PayloadScope", "<string>System</string>", "<string>User</string>"),
    (
      "URLs", "<key>PayloadContent</key><array>",
      "<key>PayloadContent</key><array><dict><key>PayloadType</key><string>com.apple.extensiblesso</string>"
        + "<key>URLs</key><array><string>https://idp.example.com/sso</string></array></dict>"
    ),
    (
      "syncLocalPassword", "<key>PayloadContent</key><array>",
      "<key>PayloadContent</key><array><dict><key>PayloadType</key><string>com.apple.extensiblesso</string>"
        + "<key>ExtensionData</key><dict><key>usePlatformSSOTGT</key><true/><key>syncLocalPassword</key><true/></dict></dict>"
    ),
  ]

  @Test("Keys that are not known, or stand elsewhere, and neighbors in the profile are found, each by its key")
  func keys() throws {
    let profile = try Self.profile { try $0.set("LoginFrequency", to: .integer(7200)) }
    let text = try profile.configurationProfile(identifier: "com.example.sso", displayName: "x")
      .split(separator: "\n").map { $0.drop { $0 == "\t" || $0 == " " } }.joined()
    #expect(
      try ExtensibleSSOProfile(configurationProfile: Array(text.utf8)).findings(inConfigurationProfile: true) == [])
    for (key, old, new) in Self.misspellings {
      let changed = text.replacing(old, with: new, maxReplacements: 1)
      #expect(changed != text, "\(key)")
      let findings = try ExtensibleSSOProfile(configurationProfile: Array(changed.utf8))
        .findings(inConfigurationProfile: true)
      #expect(findings.map(\.key) == [key], "\(findings)")
    }
  }

  @Test("Each fault is found under its key, and a profile without any has none")
  func findings() throws {
    #expect(Self.profile().findings().isEmpty)
    for (index, (key, change)) in Self.faults.enumerated() {
      #expect(try Self.profile(changing: change).findings().map(\.key) == [key], "\(index)")
    }
  }

  /// Keys of a profile and of its payload, each with values of no good form.
  static let payloadForms: [(String, [String])] = [
    ("PayloadVersion", ["<integer>2</integer>", "<string>1</string>", "<integer>0</integer>"]),
    (
      "PayloadUUID",
      [
        "<string>1</string>", "<string></string>", "<integer>1</integer>",
        "<string>3D0E4C0A0B1F4C849E566E3F6A4A9C01</string>",
      ]
    ),
    ("PayloadIdentifier", ["<string></string>", "<string>a b</string>", "<string>a..b</string>", "<true/>"]),
    ("PayloadType", ["<string>com.apple.other</string>", "<string></string>"]),
  ]

  @Test("What every profile and payload must have is missed, and its form is looked at", arguments: payloadForms)
  func payloadKeys(_ key: String, _ malformed: [String]) throws {
    let text = try Self.profile().configurationProfile(identifier: "com.example.sso", displayName: "SSO")
    func findings(_ text: String) throws -> [String] {
      try ExtensibleSSOProfile(configurationProfile: Array(text.utf8)).findings(inConfigurationProfile: true)
        .map { "\($0.key): \($0.reason)" }
    }
    #expect(try findings(text).isEmpty)
    // The first of each key is the profile's or the payload's.
    let pattern = try Regex("<key>\(key)</key>\\s*<[a-z]+>[^<]*</[a-z]+>")
    let places = text.ranges(of: pattern)
    #expect(places.count == 2)
    for place in places {
      #expect(try findings(text.replacingCharacters(in: place, with: "")).map { $0.hasPrefix("\(key): ") } == [true])
      for value in malformed {
        let changed = text.replacingCharacters(in: place, with: "<key>\(key)</key>\(value)")
        let found = try findings(changed)
        #expect(found.contains { $0.hasPrefix("\(key): ") }, "\(value) \(found)")
      }
    }
    // Profile and payload are told apart by these two.
    if ["PayloadUUID", "PayloadIdentifier"].contains(key) {
      let same = text.replacingCharacters(in: places[1], with: String(text[places[0]]))
      #expect(try findings(same).contains("\(key): profile and payload have the same one"))
    }
  }

  @Test("A payload without a profile around it may lack what a server writes")
  func payloadAlone() throws {
    let payload = Self.profile().payload(identifier: "com.example.sso", uuid: "3D0E4C0A-0B1F-4C84-9E56-6E3F6A4A9C01")
    func findings(_ entries: [PropertyListValue.Entry]) throws -> [String] {
      try ExtensibleSSOProfile(configurationProfile: Array(PropertyListValue.dictionary(entries).xmlDocument().utf8))
        .findings(inConfigurationProfile: true).map(\.key)
    }
    let entries = try #require(payload.entries)
    #expect(try findings(entries).isEmpty)
    #expect(try findings(entries.filter { !$0.key.hasPrefix("Payload") }).isEmpty)
    let changed = entries.map { $0.key == "PayloadVersion" ? PropertyListValue.Entry($0.key, .integer(2)) : $0 }
    #expect(try findings(changed) == ["PayloadVersion"])
    // The same settings are the same profile, whatever stands around them.
    let (one, other) = (
      try ExtensibleSSOProfile(configurationProfile: Array(PropertyListValue.dictionary(entries).xmlDocument().utf8)),
      try ExtensibleSSOProfile(configurationProfile: Array(PropertyListValue.dictionary(changed).xmlDocument().utf8))
    )
    #expect(one == other)
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
      (
        "refreshEndpointURL",
        {
          $0.refreshEndpointURL = "https://idp.example.com/r"
          $0.namesTokenEndpointInRefreshRequests = false
        }
      ),
      ("serverNonceClaimName", { $0.serverNonceClaimName = "n" }),
      ("nonceResponseKeypath", { $0.nonceResponseKeypath = "nonce" }),
      ("customRequestJWTParameterName", { $0.customRequestJWTParameterName = "jwt" }),
      (
        "loginRequestEncryptionPublicKey",
        { $0.loginRequestEncryptionPublicKey = try VectorKeys.point("idp-login-encryption") }
      ),
      ("isBuiltForMacOS13", { $0.isBuiltForMacOS13 = true }),
      ("groupRequestClaimName", { $0.groupRequestClaimName = "wanted" }),
      (
        "previousRefreshTokenClaimName",
        {
          $0.includePreviousRefreshTokenInLoginRequest = true
          $0.previousRefreshTokenClaimName = "before"
        }
      ),
      ("refreshRequestVersion", { $0.refreshRequestVersion = "2.0" }),
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
    provider.requiredHTTPHeaders = try AdditionalHTTPHeaders(["x-gateway": "k-1"])
    #expect(profile.findings(for: provider).map(\.key) == ["AdditionalHTTPHeaders"])
    #expect(Fixture.configuration.findings(for: provider).map(\.key) == ["additionalHTTPHeaders"])
    let browser = try Self.profile {
      $0.authenticationMethod = .openID
      try $0.set("WebLoginURLAllowList", to: Self.texts("https://login.example.com"))
    }
    var web = Fixture.configuration
    #expect(browser.findings(for: web).map(\.key) == ["AuthenticationMethod"])
    web.authorizationURL = "https://other.example.com/authorize"
    #expect(browser.findings(for: web).map(\.key) == ["WebLoginURLAllowList"])
    web.authorizationURL = "https://login.example.com/authorize"
    #expect(browser.findings(for: web).isEmpty)
  }

  @Test("A provider that asks for a Mac's identifiers needs the profile's leave")
  func attestation() throws {
    var policy = try AttestationPolicy(
      trust: CertificateTrust(roots: [AttestationWorld().root.certificate], purpose: .attestation))
    #expect(Self.profile().findings(for: policy).isEmpty)
    policy.requiresDeviceIdentifiers = true
    #expect(Self.profile().findings(for: policy).map(\.key) == ["AllowDeviceIdentifiersInAttestation"])
    let attesting = try Self.profile { try $0.set("AllowDeviceIdentifiersInAttestation", to: .bool(true)) }
    #expect(attesting.findings(for: policy).isEmpty)
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

  @Test("An XML property list may use every legal form of XML")
  func legalXML() throws {
    func read(_ octets: [UInt8]) throws -> PropertyListValue { try PropertyListValue(xmlDocument: octets) }
    func read(_ text: String) throws -> PropertyListValue { try read(Array("<plist>\(text)</plist>".utf8)) }
    #expect(try read("<string>a<![CDATA[<&]b]]]>c<!-- d --><?e f?>g</string>") == .string("a<&]b]cg"))
    #expect(try read("<string>a\r\nb\rc&#13;&#x1F600;</string>") == .string("a\nb\nc\r\u{1F600}"))
    #expect(try read("<string>a ]] > b</string >") == .string("a ]] > b"))
    for (text, integer) in [
      ("0x1", 1), ("0XfF", 255), ("-0x10", -16), ("+7", 7), ("-9223372036854775808", .min), (" 12\n", 12),
    ] as [(String, Int64)] {
      #expect(try read("<integer>\(text)</integer>") == .integer(integer))
    }
    let document =
      "<?xml version='1.0' encoding='UTF-16' standalone=\"yes\"?><!DOCTYPE plist SYSTEM 'x>y'>"
      + "<?pi?><plist version='1.0'><string>\u{E9}\u{1F600}</string></plist><!-- end -->\n"
    for isBigEndian in [false, true] {
      let units = [0xFEFF] + Array(document.utf16)
      let octets = units.flatMap {
        isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
      }
      #expect(try read(octets) == .string("\u{E9}\u{1F600}"))
      #expect(throws: JOSEError.self) { try read(octets.dropLast()) }
    }
    #expect(try read([0xEF, 0xBB, 0xBF] + Array("<plist><true/></plist>".utf8)) == .bool(true))
  }

  @Test("Each fault of an XML document has its own error text, with line and column")
  func refusedXML() throws {
    for (text, words) in [
      (
        "<plist>\n<dict>\n  <key>a</key><true/>\n  <key>a</key><true/></dict></plist>",
        "this key twice; line 4, column 3"
      ),
      ("<plist>\n<string>\u{E9} a & b</string></plist>", "written &amp; in text; line 2, column 13"),
      ("<plist><true/></plist>\n<plist><true/></plist>", "one root element; line 2, column 1"),
      ("<plist><true/><true/></plist>", "one value; line 1, column 15"),
      ("<plist>\n<string>a\u{1}</string></plist>", "no such character; line 2, column 10"),
      ("<plist version=\u{201C}1\u{201D}><true/></plist>", "stands in quotes, \" or '; line 1, column 16"),
      ("<plist><dict><key>a</key></dict></plist>", "has a value; line 1, column 14"),
      ("<plist><data>a</data></plist>", "in base64; line 1, column 8"),
      ("bplist00", "plutil -convert xml1"),
    ] {
      let error = #expect(throws: JOSEError.self) { try PropertyListValue(xmlDocument: Array(text.utf8)) }
      #expect(
        error.map { "\($0)".hasSuffix(words) || "\($0)".contains(words) } == true, "\(error.map { "\($0)" } ?? "")")
    }
    let signed = #expect(throws: JOSEError.self) { try PropertyListValue(xmlDocument: [0x30, 0x82, 1, 1]) }
    #expect(signed?.reason.contains("CMS") == true)
  }

  @Test("Text with characters that XML forbids is not written", arguments: ["a\u{1}b", "\u{FFFE}", "\u{1B}[2J"])
  func unwritten(_ text: String) throws {
    func code(_ change: (inout ExtensibleSSOProfile) throws -> Void = { _ in }, name: String = "SSO") -> String? {
      do throws(JOSEError) {
        var profile = Self.profile()
        do { try change(&profile) } catch { return "\(error)" }
        _ = try profile.configurationProfile(identifier: "com.example.sso", displayName: name)
        return nil
      } catch { return "\(error.code) \(error.name ?? "")" }
    }
    #expect(code(name: text) == "claimInvalid PayloadDisplayName")
    #expect(code({ try $0.set("RegistrationToken", to: .string(text)) }) == "claimInvalid RegistrationToken")
    #expect(
      code({ try $0.set("ExtensionData", to: .dictionary([.init("a", .array([.string(text)]))])) }) == "claimInvalid a")
    #expect(
      code({ try $0.set("ExtensionData", to: .dictionary([.init(text, .bool(true))])) }) == "claimInvalid ExtensionData"
    )
    #expect(code(name: "\t\n\r\u{85}\u{1F600}") == nil)
    for identifier in ["", "com.example sso", "com..example", "a/b"] {
      let error = #expect(throws: JOSEError.self) {
        try Self.profile().configurationProfile(identifier: identifier, displayName: "SSO")
      }
      #expect(error?.name == "PayloadIdentifier")
    }
  }

  @Test("A malformed or hostile property list is refused")
  func hostilePropertyLists() throws {
    func code(_ text: String) -> ErrorCode? {
      do throws(JOSEError) {
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
      plist("<string>a\u{1}b</string>"), plist("<string>\u{FFFE}</string>"), plist("<string>&#1;</string>"),
      plist("<string>&#xFFFF;</string>"), plist("<string>&#+65;</string>"), plist("<string>&#X41;</string>"),
      plist("<string>a ]]> b</string>"), plist("<!-- a -- b --><true/>"), plist("<string>a & b</string>"),
      "<?xml version=\u{201C}1.0\u{201D}?>" + plist("<true/>"), "<plist version=\u{201C}1.0\u{201D}><true/></plist>",
      "<!DOCTYPE plist PUBLIC \u{201C}-//Apple//DTD PLIST 1.0//EN\u{201D} \"x\">" + plist("<true/>"),
      " <?xml version=\"1.0\"?>" + plist("<true/>"),
      "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>" + plist("<true/>"),
      "<plist version=\"1.0\" version=\"1.0\"><true/></plist>", "<plist version=1.0><true/></plist>",
      plist("<true/>") + plist("<true/>"), plist("<integer>0x</integer>"),
      plist("<integer>0x1FFFFFFFFFFFFFFFF</integer>"),
      plist("<integer>- 1</integer>"), plist("< string>a</string>"), plist("<string>a</ string>"), plist("x<true/>"),
      "<?xml version=\"1.0\"?><?xml version=\"1.0\"?>" + plist("<true/>"),
    ] {
      #expect(code(text) == .malformed, "\(text)")
    }
    #expect(code(plist(String(repeating: "<array>", count: 40))) != nil)
    let deep = String(repeating: "<dict><key>a</key>", count: 40) + "<true/>" + String(repeating: "</dict>", count: 40)
    #expect(code(plist(deep)) == .limitExceeded)
    let text = Array(try Self.full().configurationProfile(identifier: "com.example.i", displayName: "d").utf8)
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
