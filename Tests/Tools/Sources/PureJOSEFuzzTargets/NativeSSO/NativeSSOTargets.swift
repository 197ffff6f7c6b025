import JOSE
import NativeSSOKit
import PureJOSENativeSSOAdministration
import OpenIDKit
import PureCrypto
import StrictJSON

extension FuzzTarget {
  static let nativeSSOTargets = [
    redirect, loginAnswer, exchangeAnswer, tokenResponse, exchangeRequest, revocationRequest, metadata, storedPair,
    deviceSecretRecord, settings, adminRequest,
  ]

  private static let words =
    claimWords + [
      "\"access_token\":", "\"token_type\":\"Bearer\"", "\"id_token\":\"@IDTOKEN@\"", "\"device_secret\":",
      "\"ds_hash\":",
      "\"issued_token_type\":", "\"expires_in\":", "\"refresh_token\":", "\"scope\":", "\"device_token\":",
      "\"at_hash\":",
      "urn:ietf:params:oauth:token-type:access_token", "\"error\":\"invalid_grant\"", "\"error_description\":",
    ]

  /// A redirect back to the app. The placeholder stands for the login's state.
  private static let redirect = FuzzTarget(
    "nsso-redirect", maximumByteCount: 256,
    dictionary: ["code=", "state=@STATE@", "error=", "iss=", "&", "#", "?", "%20"],
    seeds: { _ in
      ["com.example.app-b:/cb?code=c1&state=@STATE@", "com.example.app-b:/cb?error=access_denied&state=@STATE@#x"]
        .map { Array($0.utf8) }
    },
    run: { input in
      let world = try NativeSSOWorld.shared.get()
      return try InlineExecutor.run {
        let (session, _) = try await world.client(
          answer: HTTPResponseValue(status: 400, body: Array(#"{"error":"invalid_grant"}"#.utf8)))
        let (login, _) = try await session.client.beginLogin()
        let text = String(decoding: Placeholders.filled(input, ["@STATE@": login.request.state]), as: UTF8.self)
        do throws(JOSEError) {
          _ = try await session.client.completeLogin(login, redirect: text)
        } catch {
          // The refusal of the code comes from the server: then the redirect itself was right.
          return error.code == .serverRefused && error.name == "invalid_grant"
        }
        throw LawBroken(description: "no tokens without an answer that holds them")
      }
    })

  /// The answer to a code: status, members, claims of the ID token.
  private static let loginAnswer = FuzzTarget(
    "nsso-login-response", maximumByteCount: 768, dictionary: words,
    seeds: { _ in
      [
        InputParts.joined(
          "200",
          #"{"access_token":"at","token_type":"Bearer","expires_in":60,"id_token":"@IDTOKEN@","device_secret":"\#(NativeSSOWorld.secret)"}"#,
          NativeSSOWorld.claims("app-b", ",\"nonce\":\"@N@\"")),
        InputParts.joined("400", #"{"error":"invalid_grant","error_description":"no"}"#, ""),
      ]
    },
    run: { input in
      let world = try NativeSSOWorld.shared.get()
      let parts = InputParts(input)
      return try InlineExecutor.run {
        let configured = try await world.client(answer: HTTPResponseValue(status: 500))
        let login = try await configured.0.client.beginLogin().login
        let idToken = world.idToken(Placeholders.filled(parts[2], ["@N@": login.request.nonce]))
        let body = Placeholders.filled(parts[1], ["@IDTOKEN@": idToken])
        let (session, store) = try await world.client(
          answer: HTTPResponseValue(status: Int(parts.text(0)) ?? 200, body: body))
        let redirect = "com.example.app-b:/cb?code=c&state=\(login.request.state)"
        guard let signIn = try? await session.client.completeLogin(login, redirect: redirect) else { return false }
        if case .stored = signIn.sharing {
          let stored = try await SharedPair(store).read().pair
          try require(stored.map { $0.subject == signIn.subject } ?? false, "the pair is the user's")
        }
        return true
      }
    })

  /// The answer to an exchange: status, members, claims of the ID token.
  private static let exchangeAnswer = FuzzTarget(
    "nsso-exchange-response", maximumByteCount: 768, dictionary: words,
    seeds: { _ in
      [
        InputParts.joined(
          "200",
          #"{"access_token":"at","token_type":"Bearer","expires_in":60,"issued_token_type":"urn:ietf:params:oauth:token-type:access_token","id_token":"@IDTOKEN@"}"#,
          NativeSSOWorld.claims("app-b")),
        InputParts.joined("400", #"{"error":"invalid_grant"}"#, ""),
      ]
    },
    run: { input in
      let world = try NativeSSOWorld.shared.get()
      let parts = InputParts(input)
      let body = Placeholders.filled(parts[1], ["@IDTOKEN@": world.idToken(parts[2])])
      return try InlineExecutor.run {
        let (session, _) = try await world.client(
          answer: HTTPResponseValue(status: Int(parts.text(0)) ?? 200, body: body), pair: try world.pair())
        guard case .signedIn(let signIn) = await session.signInSilently() else { return false }
        try require(signIn.subject.utf8.elementsEqual("user-1".utf8), "the same person signs in")
        return true
      }
    })

  /// A token response and an error response, alone.
  private static let tokenResponse = FuzzTarget(
    "nsso-token-response", maximumByteCount: 512, dictionary: words,
    seeds: { _ in
      [
        #"{"access_token":"at","token_type":"Bearer","expires_in":60,"id_token":"a.b.c","refresh_token":"r","scope":"openid"}"#,
        #"{"error":"invalid_request","error_description":"x","error_uri":"https://a"}"#,
      ].map { Array($0.utf8) }
    },
    run: { input in
      var isAccepted = false
      for alias in [false, true] {
        guard let response = try? TokenResponse(parsing: input, acceptsAlias: alias) else { continue }
        isAccepted = true
        let again = try TokenResponse(parsing: response.issued.jsonObject.serialized(), acceptsAlias: alias)
        try require(again.issued.jsonObject == response.issued.jsonObject, "a response is written as it is read")
      }
      if let error = OAuthErrorResponse(HTTPResponseValue(status: 400, body: input), withholding: ["s3cret"]) {
        isAccepted = true
        try require(!(error.text ?? "").utf8.elementsEqual("s3cret".utf8), "a secret is not echoed")
        _ = error.response(to: .post([:], to: "https://op.example.com/token"))
      }
      return isAccepted
    })

  /// A token exchange as the provider gets it: an Authorization field, and a form.
  private static let exchangeRequest = FuzzTarget(
    "nsso-exchange-request", maximumByteCount: 1024,
    dictionary: [
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange", "client_id=app-b",
      "subject_token=@IDTOKEN@",
      "subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aid_token", "actor_token=\(NativeSSOWorld.secret)",
      "actor_token_type=urn%3Aopenid%3Aparams%3Atoken-type%3Adevice-secret", "scope=openid", "audience=", "resource=",
      "Basic ",
    ],
    seeds: { _ in
      let form: FormFields = [
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "app-b",
        "subject_token": "@IDTOKEN@",
        "subject_token_type": "urn:ietf:params:oauth:token-type:id_token", "actor_token": NativeSSOWorld.secret,
        "actor_token_type": "urn:openid:params:token-type:device-secret", "scope": "openid",
      ]
      let body = form.encoded().replacing(Array("%40IDTOKEN%40".utf8), with: Array("@IDTOKEN@".utf8))
      let claims = NativeSSOWorld.claims("app-a")
      return [
        InputParts.joined([], body, Array(claims.utf8)),
        InputParts.joined(
          Array("Basic YXBwLWJhc2ljOnMzY3JldA==".utf8),
          body.replacing(Array("client_id=app-b&".utf8), with: []), Array(claims.utf8)),
      ]
    },
    run: { input in
      let world = try NativeSSOWorld.shared.get()
      let parts = InputParts(input)
      var posted = HTTPRequestValue.post([:], to: "/token")
      if !parts[0].isEmpty { try? posted.headers.append("Authorization", parts.text(0)) }
      posted.body = Placeholders.filled(parts[1], ["@IDTOKEN@": world.idToken(parts[2])])
      let request = posted
      return try InlineExecutor.run {
        let provider = try await world.provider()
        let endpoint = TokenEndpoint(
          grants: provider.native?.grants(of: provider) ?? [], authenticate: provider.clients.authenticate)
        let response = await endpoint.respond(to: request, sourceAddress: "192.0.2.1")
        try require((200..<500).contains(response.status), "no fault of the server: \(response.status)")
        return response.status == 200
      }
    })

  /// A revocation as the provider gets it.
  private static let revocationRequest = FuzzTarget(
    "nsso-revocation-request", maximumByteCount: 256,
    dictionary: ["token=\(NativeSSOWorld.secret)", "token_type_hint=", "client_id=app-a", "&"],
    seeds: { _ in [Array("client_id=app-a&token=\(NativeSSOWorld.secret)".utf8)] },
    run: { input in
      let world = try NativeSSOWorld.shared.get()
      var posted = HTTPRequestValue.post([:], to: "/revoke")
      posted.body = input
      let request = posted
      return try InlineExecutor.run {
        let response = try await world.provider().revocationEndpoint.respond(to: request)
        try require((200..<500).contains(response.status), "no fault of the server: \(response.status)")
        return response.status == 200
      }
    })

  /// Discovery metadata.
  private static let metadata = FuzzTarget(
    "nsso-metadata", maximumByteCount: 512,
    dictionary: [
      "\"issuer\":\"https://op.example.com\"", "\"native_sso_supported\":true", "\"jwks_uri\":", "https://",
    ],
    seeds: { _ in
      [
        Array(
          #"{"issuer":"https://op.example.com","authorization_endpoint":"https://a/x","token_endpoint":"https://a/t","jwks_uri":"https://a/j","native_sso_supported":true,"scopes_supported":["openid"]}"#
            .utf8)
      ]
    },
    run: { input in
      guard let metadata = try? OpenIDProviderMetadata(parsing: input, issuer: NativeSSOWorld.issuer) else {
        return false
      }
      try require(metadata.issuer.utf8.elementsEqual(NativeSSOWorld.issuer.utf8), "the document is the issuer's")
      try require(metadata.tokenEndpoint.asciiLowercased.hasPrefix("https:"), "endpoints are https")
      return true
    })

  /// The document that apps share.
  private static let storedPair = FuzzTarget(
    "nsso-pair", maximumByteCount: 768,
    dictionary: ["\"v\":1", "\"gen\":", "\"device_secret\":", "\"id_token\":", "\"stored_at\":", "1e300"],
    seeds: { _ in
      let pair = try NativeSSOWorld.shared.get().pair()
      return [SSOPairEntry(generation: 5, pair: pair).serialized, SSOPairEntry(generation: 0, pair: nil).serialized]
    },
    run: { input in
      guard let entry = try? SSOPairEntry(parsing: input) else { return false }
      let again = try SSOPairEntry(parsing: entry.serialized)
      try require(again.serialized == entry.serialized, "a document is written as it is read")
      return true
    })

  /// A device secret's record as a provider's store holds it.
  private static let deviceSecretRecord = FuzzTarget(
    "nsso-device-secret-record", maximumByteCount: 640,
    dictionary: [
      "\"v\":1", "\"fingerprint\":", "\"previous\":{", "\"revoked\":{", "\"uses\":", "\"rotations\":",
      "\"sessions\":[", "1e300",
    ],
    seeds: { _ in
      let secret = try DeviceSecret("secret-of-a-device-0123456789")
      let record = DeviceSecretRecord(
        id: "d", fingerprint: secret.fingerprint, userID: "u", sessionID: "s", clientID: "app", deviceName: "Mac",
        createdAt: NumericDate(1_760_000_000), expiresAt: NumericDate(1_770_000_000))
      return [record.serialized()]
    },
    run: { input in
      guard let record = try? DeviceSecretRecord(parsing: input) else { return false }
      let again = try DeviceSecretRecord(parsing: record.serialized())
      try require(again.serialized() == record.serialized(), "a record is written as it is read")
      return true
    })

  /// Settings as an administrator sends them and as a store holds them.
  private static let settings = FuzzTarget(
    "nsso-settings", maximumByteCount: 384,
    dictionary: [
      "\"enabled\":", "\"deviceSecretTTLDays\":", "\"maxSecretsBehavior\":", "\"maxUseCountPerSecret\":", "null", "1e9",
    ],
    seeds: { _ in [NativeSSOSettings().jsonObject.serialized(), Array(#"{"enabled":true}"#.utf8)] },
    run: { input in
      guard let object = try? JSONObject(parsing: input) else { return false }
      _ = NativeSSOSettings.loading(object)
      guard let settings = try? NativeSSOSettings().updating(with: object) else { return false }
      try require(NativeSSOSettings.loading(settings.jsonObject) == settings, "settings survive the store")
      return true
    })

  /// An administrator's request: method, URL, body.
  private static let adminRequest = FuzzTarget(
    "nsso-admin-request", maximumByteCount: 256,
    dictionary: [
      "/api/admin/", "settings/native-sso", "device-secrets", "users/user-1/device-secrets", "?limit=", "&offset=",
      "%2F", "DELETE",
    ],
    seeds: { _ in
      [
        InputParts.joined("GET", "/api/admin/settings/native-sso", ""),
        InputParts.joined("PUT", "/api/admin/settings/native-sso", #"{"enabled":false}"#),
        InputParts.joined("GET", "/api/admin/users/user-1/device-secrets?limit=5&offset=0", ""),
        InputParts.joined("DELETE", "/api/admin/device-secrets/record-1", #"{"reason":"lost"}"#),
        InputParts.joined("POST", "/api/admin/device-secrets/cleanup", ""),
      ]
    },
    run: { input in
      let world = try NativeSSOWorld.shared.get()
      let parts = InputParts(input)
      return try InlineExecutor.run {
        let request = HTTPRequestValue(method: parts.text(0), url: parts.text(1), body: parts[2])
        let api = NativeSSOAdminAPI(provider: try await world.provider())
        let response = await api.respond(to: request)
        try require((200..<500).contains(response.status), "no fault of the server: \(response.status)")
        return response.status == 200
      }
    })
}
