import JOSE
import PlatformSSOKit
import PureCrypto
import StrictJSON

extension FuzzTarget {
  static let platformSSOAdministrationTargets = [
    propertyList, profile, declaration, setupAssistant, appSiteAssociation, deviceRegistration, userRegistration,
  ]

  private static let tags = [
    "<dict>", "</dict>", "<key>", "</key>", "<array>", "</array>", "<string>", "</string>", "<integer>", "<data>",
    "<true/>", "<false/>", "<real>", "<date>", "<plist version=\"1.0\">", "</plist>", "<!--", "-->", "<![CDATA[", "]]>",
    "&amp;", "&#x", "&#0;", "<!DOCTYPE plist", "<!ENTITY", "<?xml",
  ]

  private static func sampleProfile() -> ExtensibleSSOProfile {
    ExtensibleSSOProfile(
      extensionIdentifier: "com.example.sso", teamIdentifier: "ABCDE12345", urls: ["https://idp.example.com"],
      authenticationMethod: .password)
  }

  /// A property list in XML.
  private static let propertyList = FuzzTarget(
    "psso-property-list", maximumByteCount: 1024, dictionary: tags,
    seeds: { _ in
      [
        #"<plist version="1.0"><dict><key>a</key><array><string>x &amp; y</string><integer>-5</integer><true/><data>AQI=</data></array></dict></plist>"#,
        #"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>d</key><date>2026-01-01T00:00:00Z</date><key>r</key><real>1.5</real></dict></plist>"#,
      ].map { Array($0.utf8) } + [binary, [0x30, 0x80, 0x06, 0x09] + binary]
    },
    run: { input in
      guard let value = try? PropertyListValue(profile: input) else { return false }
      // A binary one may have texts that XML has no characters for.
      guard (try? PropertyListValue(xmlDocument: input)) != nil else { return true }
      let again = try PropertyListValue(xmlDocument: Array(value.xmlDocument().utf8))
      try require(again == value, "what is read is written so that it is read again")
      return true
    })

  /// A binary list: a dictionary with an array of a number, true and data, and a text in UTF-16.
  private static let binary: [UInt8] =
    Array("bplist00".utf8) + [0xD2, 1, 2, 3, 4, 0x51, 0x61, 0x51, 0x62, 0xA3, 5, 6, 7, 0x61, 0x00, 0xE4]
    + [0x11, 0x01, 0x00, 0x09, 0x42, 1, 2] + [8, 13, 15, 17, 21, 24, 27, 28, 0, 0, 0, 0, 0, 0, 1, 1]
    + [0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 31]

  /// A configuration profile, as an administrator brings it.
  private static let uuids = ["3D0E4C0A-0B1F-4C84-9E56-6E3F6A4A9C01", "3D0E4C0A-0B1F-4C84-9E56-6E3F6A4A9C02"]

  private static let profile = FuzzTarget(
    "psso-profile", maximumByteCount: 4096,
    dictionary: tags + [
      "PlatformSSO", "PayloadContent", "AuthenticationMethod", "UserSecureEnclaveKey", "AdditionalHTTPHeaders",
    ],
    seeds: { _ in
      [
        Array(
          try sampleProfile().configurationProfile(
            identifier: "com.example.profile", displayName: "SSO", uuid: uuids[0],
            payloadUUID: uuids[1]
          ).utf8)
      ]
    },
    run: { input in
      if let repair = try? ProfileRepair(configurationProfile: input), let mended = try? repair.document() {
        let again = try ProfileRepair(configurationProfile: Array(mended.utf8))
        try require(again.changes.isEmpty, "what has been mended needs no mending")
      }
      guard let profile = try? ExtensibleSSOProfile(configurationProfile: input) else { return false }
      _ = profile.findings(inConfigurationProfile: true)
      // Every text that was read is one that can be written.
      let text = try profile.configurationProfile(
        identifier: "a.b", displayName: "b", uuid: uuids[0], payloadUUID: uuids[1])
      var carried = profile
      carried.additionalHTTPHeaders = .none
      try require(
        try ExtensibleSSOProfile(configurationProfile: Array(text.utf8)) == carried, "a profile survives being written")
      return true
    })

  /// What a server of device management answers Setup Assistant, and the address that leads back to it.
  private static let setupAssistant = FuzzTarget(
    "psso-setup-assistant", maximumByteCount: 512,
    dictionary: ["\"code\":\"com.apple.psso.required\"", "\"details\":{", "\"Package\":{", "https://a.example/"],
    seeds: { _ in
      [
        SetupAssistantLogin(
          profileURL: "https://a.example/p", authenticationURL: "https://a.example/l",
          packageManifestURL: "https://a.example/m"
        ).response.body,
        Array(SetupAssistantLogin.returnURL(accessToken: "a b").utf8),
      ]
    },
    run: { input in
      if let token = SetupAssistantLogin.accessToken(inReturnURL: String(decoding: input, as: UTF8.self)) {
        let url = SetupAssistantLogin.returnURL(accessToken: token)
        try require(SetupAssistantLogin.accessToken(inReturnURL: url) == token, "a token comes back as it was")
        return true
      }
      guard let login = try? SetupAssistantLogin(HTTPResponseValue(status: 403, body: input)) else { return false }
      try require(try SetupAssistantLogin(login.response) == login, "what is read is written so that it is read again")
      return true
    })

  /// A declaration, as an administrator brings it.
  private static let declaration = FuzzTarget(
    "psso-declaration", maximumByteCount: 4096,
    dictionary: [
      "\"Payload\":{", "\"PlatformSSO\":{", "\"AccessKey\":{", "\"ReaderGroupIdentifier\":\"", "\"UserCreation\":{",
      "\"EnableFirstUserDuringSetup\":true", "\"AdditionalHTTPHeaders\":{", "\"Policies\":{", "\"ExtensionData\":{",
    ],
    seeds: { _ in [sampleProfile().declaration(identifier: "d", serverToken: "1").serialized()] },
    run: { input in
      guard let profile = try? ExtensibleSSOProfile(declaration: input) else { return false }
      _ = profile.findings()
      let written = profile.declaration(identifier: "d", serverToken: "1").serialized()
      try require(try ExtensibleSSOProfile(declaration: written) == profile, "a declaration survives being written")
      return true
    })

  /// What a server answers where Macs look for the extension.
  private static let appSiteAssociation = FuzzTarget(
    "psso-app-site-association", maximumByteCount: 256,
    dictionary: ["\"authsrv\":", "\"apps\":[", "ABCDE12345.com.example.sso"],
    seeds: { _ in [Array(#"{"authsrv":{"apps":["ABCDE12345.com.example.sso"]}}"#.utf8)] },
    run: { input in
      let response = HTTPResponseValue(
        status: 200, headers: try HTTPHeaderFields([("Content-Type", "application/json")]), body: input)
      let isGood = sampleProfile().findings(appSiteAssociation: response).isEmpty
      guard isGood else { return false }
      let applications = try JSONObject(parsing: input)["authsrv"]?.objectValue?["apps"]?.arrayValue ?? []
      try require(applications.contains(.string("ABCDE12345.com.example.sso")), "the extension is in the list")
      return true
    })

  /// The number of a format and the body of a device's registration.
  private static let deviceRegistration = FuzzTarget(
    "psso-device-registration", maximumByteCount: 1024,
    dictionary: ["-----BEGIN PUBLIC KEY-----", "\"attestation\":[", "\"nonce\":", "\"serial_number\":", "&", "%2B"],
    seeds: { _ in
      let keys = try PlatformSSOWorld.shared.get().device.keys
      let registration = try DeviceRegistration(
        deviceID: "mac-1", serialNumber: "C02", keys: keys, registrationToken: "t")
      return try RegistrationFormat.allCases.map { format in
        InputParts.joined(
          Array(format.rawValue.utf8), try registration.httpRequest(to: "/register", format: format).body)
      }
    },
    run: { input in
      let parts = InputParts(input)
      guard let format = RegistrationFormat(rawValue: parts.text(0)) else { return false }
      let request = registrationRequest(parts[1], isForm: format == .fleet)
      guard let registration = try? DeviceRegistration(from: request, format: format) else { return false }
      try require(registration.signingKey != registration.encryptionKey, "one key doesn't sign and decrypt")
      guard let written = try? registration.httpRequest(to: "/register", format: format) else { return true }
      let again = try DeviceRegistration(from: written, format: format)
      try require(
        again.signingKey == registration.signingKey && again.encryptionKey == registration.encryptionKey,
        "keys survive being written")
      return true
    })

  /// The number of a format and the body of a user's registration.
  private static let userRegistration = FuzzTarget(
    "psso-user-registration", maximumByteCount: 768,
    dictionary: ["-----BEGIN PUBLIC KEY-----", "\"attestation\":[", "\"nonce\":", "\"access_token\":"],
    seeds: { _ in
      let point = try PlatformSSOWorld.shared.get().userKey.publicKey.x963Representation
      let registration = UserRegistration(userKey: try RegisteredKey(x963Representation: point), accessToken: "at")
      return try RegistrationFormat.allCases.map { format in
        InputParts.joined(Array(format.rawValue.utf8), try registration.httpRequest(to: "/user", format: format).body)
      }
    },
    run: { input in
      let parts = InputParts(input)
      guard let format = RegistrationFormat(rawValue: parts.text(0)) else { return false }
      guard let registration = try? UserRegistration(from: registrationRequest(parts[1], isForm: false), format: format)
      else { return false }
      let again = try UserRegistration(
        from: registration.httpRequest(to: "/user", format: format), format: format)
      try require(again == registration, "a registration survives being written")
      return true
    })

  private static func registrationRequest(_ body: [UInt8], isForm: Bool) -> HTTPRequestValue {
    var request = HTTPRequestValue.post([:], to: "/register")
    if !isForm {
      request = HTTPRequestValue(
        method: "POST", url: "/register",
        headers: (try? HTTPHeaderFields([("Content-Type", "application/json")])) ?? request.headers, body: body)
    }
    request.body = body
    return request
  }
}
