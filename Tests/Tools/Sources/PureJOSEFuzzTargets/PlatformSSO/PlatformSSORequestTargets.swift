import JOSE
import PlatformSSOKit
import PureCrypto
import StrictJSON
import Synchronization

extension FuzzTarget {
  static let platformSSORequestTargets = [
    loginRequest, embeddedAssertion, encryptedAssertion, refreshRequest, keyRequest, nonceRequest, requestForm,
    callback,
  ]

  private static let words =
    headerWords + claimWords + [
      "\"grant_type\":\"password\"", "\"grant_type\":\"urn:ietf:params:oauth:grant-type:jwt-bearer\"",
      "\"request_nonce\":\"@NONCE@\"",
      "\"password\":\"correct horse\"", "\"assertion\":\"@ASSERTION@\"",
      "\"jwe_crypto\":{\"alg\":\"ECDH-ES\",\"enc\":\"A256GCM\",\"apv\":",
      "\"refresh_token\":\"rt-1\"", "\"scope\":\"openid offline_access urn:apple:platformsso\"", "\"username\":",
      "\"version\":\"1.0\"",
      "\"request_type\":\"key_exchange\"", "\"request_type\":\"key_request\"", "\"key_purpose\":\"user_unlock\"",
      "\"other_publickey\":", "\"key_context\":", "\"typ\":\"platformsso-login-request+jwt\"",
      "\"claims\":{\"id_token\":{\"groups\":",
    ]

  /// A login request with a password: header, claims, further octets of the form.
  private static let loginRequest = FuzzTarget(
    "psso-login-request", maximumByteCount: 1024, dictionary: words,
    seeds: { _ in
      let world = try PlatformSSOWorld.shared.get()
      var device = world.device
      device.configuration.loginRequestEncryptionPublicKey = nil
      let request = try device.loginRequest(
        of: PlatformSSOWorld.user, by: .password("correct horse"), nonces: PlatformSSOWorld.nonces,
        previousRefreshToken: "rt-1", groups: ["a"])
      let web = try device.loginRequest(
        of: PlatformSSOWorld.user,
        by: .webAuthorization(
          AuthorizationCallback(url: AuthorizationParameters.callbackURL + "?code=1", expectedState: nil)),
        nonces: PlatformSSOWorld.nonces)
      return try [request, web].map { try seed($0) }
    },
    run: { input in
      try acceptsLogin(InputParts(input), assertion: "")
    })

  /// A login request with an assertion that a user's key signed: both headers and both claims sets.
  private static let embeddedAssertion = FuzzTarget(
    "psso-embedded-assertion", maximumByteCount: 1536, dictionary: words,
    seeds: { _ in
      let world = try PlatformSSOWorld.shared.get()
      let key = try SigningKey(pemRepresentation: world.userKey.pemRepresentation, algorithm: .es256)
      let request = try world.device.loginRequest(
        of: PlatformSSOWorld.user, by: .userSecureEnclaveKey(key), nonces: PlatformSSOWorld.nonces)
      return [try seedWithAssertion(request)]
    },
    run: { input in
      let world = try PlatformSSOWorld.shared.get()
      let parts = InputParts(input)
      return try acceptsLogin(
        parts,
        assertion: TokenKeys.signed(header: world.filled(parts[2]), payload: world.filled(parts[3]), by: world.userKey))
    })

  /// A login request with a password that is encrypted for the provider.
  private static let encryptedAssertion = FuzzTarget(
    "psso-encrypted-assertion", maximumByteCount: 1536, dictionary: words,
    seeds: { _ in
      let world = try PlatformSSOWorld.shared.get()
      let request = try world.device.loginRequest(
        of: PlatformSSOWorld.user, by: .password("correct horse"), nonces: PlatformSSOWorld.nonces)
      let outer = try PlatformSSOWorld.parts(request.assertion)
      let signed = try world.device.loginRequest(
        of: PlatformSSOWorld.user,
        by: .userSecureEnclaveKey(SigningKey(pemRepresentation: world.userKey.pemRepresentation, algorithm: .es256)),
        nonces: PlatformSSOWorld.nonces)
      var claims = try JSONObject(parsing: outer.claims)
      claims["assertion"] = "@ASSERTION@"
      let inner =
        try JSONObject(parsing: PlatformSSOWorld.parts(signed.assertion).claims)["assertion"]?.stringValue ?? ""
      var innerClaims = try JSONObject(parsing: PlatformSSOWorld.parts(inner).claims)
      innerClaims["password"] = "correct horse"
      return [
        InputParts.joined(
          outer.header, claims.serialized(), EncryptedAnswer.header(type: "platformsso-encrypted-login-assertion+jwt"),
          innerClaims.serialized())
      ]
    },
    run: { input in
      let world = try PlatformSSOWorld.shared.get()
      let parts = InputParts(input)
      let partyVInfo = EmbeddedAssertionPartyVInfo.octets(
        prefix: nil, recipientX963Representation: world.loginKey.publicKey.x963Representation, serverNonce: world.nonce)
      let answer = try EncryptedAnswer(recipient: world.loginKey.publicKey, partyVInfo: partyVInfo)
      return try acceptsLogin(parts, assertion: try answer.token(header: parts[2], plaintext: world.filled(parts[3])))
    })

  /// A refresh request: header, claims, further octets of the form.
  private static let refreshRequest = FuzzTarget(
    "psso-refresh-request", maximumByteCount: 1024, dictionary: words,
    seeds: { _ in
      [
        try seed(
          PlatformSSOWorld.shared.get().device.refreshRequest(refreshToken: "rt-1", nonces: PlatformSSOWorld.nonces))
      ]
    },
    run: { input in
      let world = try PlatformSSOWorld.shared.get()
      let request = try request(InputParts(input), version: "1.0")
      return try InlineExecutor.run {
        guard let accepted = try? await world.provider.refreshRequest(from: request) else { return false }
        try require(accepted.request.claims["refresh_token"] == "rt-1", "only the known refresh token is accepted")
        return true
      }
    })

  /// A key request or key exchange request, and the answer to it.
  private static let keyRequest = FuzzTarget(
    "psso-key-request", maximumByteCount: 1024, dictionary: words,
    seeds: { _ in
      let world = try PlatformSSOWorld.shared.get()
      let key = try world.device.keyRequest(
        of: PlatformSSOWorld.user, refreshToken: "rt-1", nonces: PlatformSSOWorld.nonces)
      let exchange = try world.device.keyRequest(
        of: PlatformSSOWorld.user, refreshToken: "rt-1", otherPublicKey: world.userKey.publicKey.x963Representation,
        keyContext: "c", nonces: PlatformSSOWorld.nonces)
      return try [key, exchange].map { try seed($0) }
    },
    run: { input in
      let world = try PlatformSSOWorld.shared.get()
      let request = try request(InputParts(input), version: "2.0")
      return try InlineExecutor.run {
        guard let accepted = try? await world.provider.keyEndpointRequest(from: request) else { return false }
        guard accepted.otherPublicKeyX963Representation != nil else { return true }
        let unlockKey = try UnlockKey(rawRepresentation: SecretBytes(copying: TokenKeys.secret))
        _ = try world.provider.keyExchangeResponse(to: accepted, unlockKey: unlockKey)
        return true
      }
    })

  /// A request for a nonce: header field and body.
  private static let nonceRequest = FuzzTarget(
    "psso-nonce-request", maximumByteCount: 128, dictionary: ["grant_type=", "srv_challenge", "&"],
    seeds: { _ in [InputParts.joined("fuzz-1", "grant_type=srv_challenge")] },
    run: { input in
      let parts = InputParts(input)
      var headers = HTTPHeaderFields()
      try? headers.append("client-request-id", parts.text(0))
      var request = HTTPRequestValue.post([:], to: "https://idp.example.com/token", headers: headers)
      request.body = parts[1]
      let world = try PlatformSSOWorld.shared.get()
      guard let response = try? world.provider.serverNonceResponse(to: request) else { return false }
      let pending = world.device.serverNonceRequest()
      _ = try world.device.requestNonces(from: response, to: pending)
      return true
    })

  /// The body of a request as it came, at each endpoint and at one for all.
  private static let requestForm = FuzzTarget(
    "psso-form", maximumByteCount: 1536,
    dictionary: [
      "assertion=", "request=", "&", "platform_sso_version=1.0", "platform_sso_version=2.0", "grant_type=",
      "srv_challenge",
    ],
    seeds: { _ in
      let world = try PlatformSSOWorld.shared.get()
      let nonces = RequestNonces(
        serverNonce: world.nonce, clientNonce: PlatformSSOWorld.clientNonce,
        clientRequestID: PlatformSSOWorld.clientRequestID)
      return [
        try world.device.refreshRequest(refreshToken: "rt-1", nonces: nonces).httpRequest.body,
        try world.device.keyRequest(of: PlatformSSOWorld.user, refreshToken: "rt-1", nonces: nonces).httpRequest.body,
      ]
    },
    run: { input in
      let world = try PlatformSSOWorld.shared.get()
      var posted = try PlatformSSOWorld.post("", version: "1.0")
      posted.body = input
      let request = posted
      return try InlineExecutor.run {
        let login = try? await world.provider.loginRequest(from: request)
        let refresh = try? await world.provider.refreshRequest(from: request)
        let key = try? await world.provider.keyEndpointRequest(from: request)
        let isAccepted = login != nil || refresh != nil || key != nil
        let noted = Answers()
        let answer = try? await world.provider.response(to: request, with: noted)
        try require(noted.wasAsked == isAccepted, "answers are asked for once a request is accepted, and only then")
        return answer != nil
      }
    })

  /// Tokens and keys for whoever is let in, and whether somebody was.
  private final class Answers: IdentityProviderAnswers {
    private let asked = Mutex(false)

    var wasAsked: Bool { asked.withLock { $0 } }

    func tokens(for request: TokenEndpointRequest, by provider: IdentityProvider) throws -> LoginResponse? {
      asked.withLock { $0 = true }
      return LoginResponse(
        idToken: try provider.idToken(for: request, subject: request.userName), refreshToken: "rt-2",
        refreshTokenExpiresIn: .seconds(3600))
    }

    func unlockKey(for request: KeyEndpointRequest, by provider: IdentityProvider) throws -> UnlockKey? {
      asked.withLock { $0 = true }
      return try UnlockKey(rawRepresentation: SecretBytes(copying: TokenKeys.secret))
    }
  }

  /// Where a browser came back to.
  private static let callback = FuzzTarget(
    "psso-callback", maximumByteCount: 192,
    dictionary: ["com.apple.platformsso://callback", "code=c", "state=st-1", "error=", "&", "?", "#", "%20"],
    seeds: { _ in
      ["?code=c&state=st-1", "/?state=st-1&error=access_denied"].map {
        Array((AuthorizationParameters.callbackURL + $0).utf8)
      }
    },
    run: { input in
      let text = String(decoding: input, as: UTF8.self)
      guard let callback = try? AuthorizationCallback(url: text, expectedState: "st-1") else { return false }
      try require(callback.state == "st-1" && !callback.code.isEmpty, "a callback answers its request")
      return true
    })

  // MARK: From parts to requests

  private static func seed(_ request: DeviceRequest) throws -> [UInt8] {
    let parts = try PlatformSSOWorld.parts(request.assertion)
    return InputParts.joined(parts.header, parts.claims)
  }

  private static func seedWithAssertion(_ request: DeviceRequest) throws -> [UInt8] {
    let outer = try PlatformSSOWorld.parts(request.assertion)
    var claims = try JSONObject(parsing: outer.claims)
    let inner = try PlatformSSOWorld.parts(claims["assertion"]?.stringValue ?? "")
    claims["assertion"] = "@ASSERTION@"
    return InputParts.joined(outer.header, claims.serialized(), inner.header, inner.claims)
  }

  private static func request(
    _ parts: InputParts, version: String, values: [String: String] = [:]
  ) throws -> HTTPRequestValue {
    let world = try PlatformSSOWorld.shared.get()
    let token = TokenKeys.signed(
      header: parts[0], payload: world.filled(parts[1], values), by: world.signingKey)
    return try PlatformSSOWorld.post(token, version: version, further: values.isEmpty ? parts[2] : [])
  }

  private static func acceptsLogin(_ parts: InputParts, assertion: String) throws -> Bool {
    let world = try PlatformSSOWorld.shared.get()
    let request = try request(parts, version: "1.0", values: assertion.isEmpty ? [:] : ["@ASSERTION@": assertion])
    return try InlineExecutor.run {
      let accepted: TokenEndpointRequest
      do throws(JOSEError) {
        accepted = try await world.provider.loginRequest(from: request)
      } catch {
        _ = world.provider.errorResponse(for: error)
        return false
      }
      if case .webAuthorization = accepted.credential { return true }
      try require(
        accepted.userName.utf8.elementsEqual("jane@example.com".utf8) || !assertion.isEmpty, "the password is hers")
      return true
    }
  }
}
