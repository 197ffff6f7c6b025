import JOSE
import PureCrypto
import AppleSignInKit
import IdentityTesting
import StrictJSON

extension FuzzTarget {
  static let signInWithAppleTargets = [callback, scriptEvent, identityToken, answer, notification, standIn]

  private static let now = WallClock.fixed(at: NumericDate(1_760_000_100))

  /// The service, its keys and a sign-in that is under way.
  private struct World {
    let service = AppleService(
      issuer: "https://appleid.apple.com", authorizationURL: "https://appleid.apple.com/auth/authorize",
      tokenURL: "https://appleid.apple.com/auth/token", revocationURL: "https://appleid.apple.com/auth/revoke",
      keysURL: "https://appleid.apple.com/auth/keys", signatureAlgorithmNames: ["ES256"])
    let key: P256PrivateKey
    let signingKey: SigningKey
    let keys: JWKSet
    let secret: AppleClientSecret
    let standInClient: AppleStandInClient

    static let shared = Result { try World() }

    private init() throws {
      key = try TokenKeys.p256("apple")
      signingKey = try SigningKey(pemRepresentation: key.pemRepresentation, algorithm: .es256, keyID: "K1")
      keys = JWKSet([signingKey.verificationKey.publicJWK].compactMap { $0 })
      let clientKey = try SigningKey(
        pemRepresentation: TokenKeys.p256("apple client").pemRepresentation, algorithm: .es256, keyID: "ABC123DEFG")
      secret = try AppleClientSecretSigner(
        key: clientKey, teamID: "TEAM123456", keyID: "ABC123DEFG", service: service, clock: now
      ).clientSecret(for: "com.example.web")
      standInClient = AppleStandInClient(
        clientID: "com.example.web", teamID: "TEAM123456", group: "com.example",
        redirectURIs: [try AppleRedirectURI("https://www.example.com/cb")], secretKeys: [clientKey.verificationKey])
    }

    func pending(_ type: AppleResponseType, _ mode: AppleResponseMode) throws -> ApplePendingSignIn {
      ApplePendingSignIn(
        clientID: "com.example.web", redirectURI: try AppleRedirectURI("https://www.example.com/cb"),
        responseType: type,
        responseMode: mode, scopes: [], state: "st-1", nonce: nil, startedAt: NumericDate(1_760_000_000))
    }
  }

  /// The browser's way back, by form and by query.
  private static let callback = FuzzTarget(
    "siwa-callback", maximumByteCount: 384,
    dictionary: [
      "code=c", "state=st-1", "id_token=a.b.c", "user=%7B%22name%22%3A", "error=user_cancelled_authorize", "&", "?",
      "#",
    ],
    seeds: { _ in
      [
        #"state=st-1&code=c1&user={"name":{"firstName":"Zo%C3%AB","lastName":"O'B"},"email":"z@example.com"}"#,
        "state=st-1&code=c1&id_token=a.b.c", "state=st-1&error=user_cancelled_authorize",
        "https://www.example.com/cb?state=st-1&code=c1",
      ].map { Array($0.utf8) }
    },
    run: { input in
      let world = try World.shared.get()
      let text = String(decoding: input, as: UTF8.self)
      var isAccepted = false
      for type in [AppleResponseType.code, .codeAndIdentityToken] {
        var request = HTTPRequestValue.post([:], to: "https://www.example.com/cb")
        request.body = input
        if try accepts(request, world.pending(type, .formPost)) { isAccepted = true }
        let get = HTTPRequestValue(method: "GET", url: text)
        if try accepts(get, world.pending(type, .query)) { isAccepted = true }
      }
      if let uri = try? AppleRedirectURI(text) {
        try require(uri.text.utf8.elementsEqual(input), "a redirect URI is its text")
      }
      return isAccepted
    })

  private static func accepts(_ request: HTTPRequestValue, _ pending: ApplePendingSignIn) throws -> Bool {
    guard let outcome = try? AppleAuthorizationResponse.receive(request, for: pending, clock: now) else { return false }
    if case .authorized(let response) = outcome {
      try require(!response.code.isEmpty, "an authorization has a code")
      for name in [response.user?.givenName, response.user?.familyName].compactMap({ $0 }) {
        try require((1...AppleUser.maximumNameLength).contains(name.unicodeScalars.count), "a name has a bound")
      }
    }
    return true
  }

  /// What the page's script got.
  private static let scriptEvent = FuzzTarget(
    "siwa-script-event", maximumByteCount: 384,
    dictionary: [
      "\"authorization\":{", "\"code\":", "\"state\":\"st-1\"", "\"user\":{\"name\":{\"firstName\":", "\\u202e",
      "e\\u0301",
    ],
    seeds: { _ in
      [
        Array(
          #"{"authorization":{"code":"c","id_token":"a.b.c","state":"st-1"},"user":{"name":{"firstName":"Z","lastName":"B"},"email":"a@b"}}"#
            .utf8)
      ]
    },
    run: { input in
      let pending = try World.shared.get().pending(.code, .formPost)
      return (try? AppleAuthorizationResponse.receive(scriptEvent: input, for: pending, clock: now)) != nil
    })

  /// The claims of an identity token, rightly signed.
  private static let identityToken = FuzzTarget(
    "siwa-identity-token", maximumByteCount: 512,
    dictionary: claimWords + [
      "\"email_verified\":\"true\"", "\"is_private_email\":", "\"real_user_status\":2", "\"c_hash\":",
      "\"transfer_sub\":",
    ],
    seeds: { _ in
      [
        Array(
          #"{"iss":"https://appleid.apple.com","aud":"com.example.web","exp":1760086400,"iat":1760000000,"sub":"000.a.1","nonce":"n-1","email":"a@b","email_verified":"true","is_private_email":true,"auth_time":1759999995,"nonce_supported":true,"real_user_status":2}"#
            .utf8)
      ]
    },
    run: { input in
      let world = try World.shared.get()
      let token = TokenKeys.signed(header: Array(#"{"alg":"ES256","kid":"K1"}"#.utf8), payload: input, by: world.key)
      let verifier = AppleIdentityTokenVerifier(audiences: ["com.example.web"], service: world.service, clock: now)
      let identity = try? verifier.verify(
        token, keys: world.keys, nonce: AppleNonce(raw: "n-1"), origin: .nativeApp(code: "c"))
      return identity != nil
    })

  /// An answer of the token endpoint: status, body.
  private static let answer = FuzzTarget(
    "siwa-token-response", maximumByteCount: 384,
    dictionary: [
      "\"access_token\":", "\"token_type\":\"Bearer\"", "\"expires_in\":3600", "\"id_token\":",
      "\"error\":\"invalid_grant\"",
    ],
    seeds: { _ in
      [
        InputParts.joined(
          "200", #"{"access_token":"a","token_type":"Bearer","expires_in":3600,"refresh_token":"r","id_token":"a.b.c"}"#
        ),
        InputParts.joined("400", #"{"error":"invalid_grant"}"#),
      ]
    },
    run: { input in
      let parts = InputParts(input)
      let response = HTTPResponseValue(status: Int(parts.text(0)) ?? 200, body: parts[1])
      let isRevoked = (try? OAuthAnswer.requireAnswer(response)) != nil
      let tokens = try? AppleTokenEndpoint.tokens(in: response, to: .refreshToken("r"))
      if let tokens { try require(isRevoked && !tokens.accessToken.isEmpty, "an answer with tokens is a success") }
      return tokens != nil
    })

  /// A notification's claims, rightly signed, and its body as it came.
  private static let notification = FuzzTarget(
    "siwa-notification", maximumByteCount: 512,
    dictionary: claimWords + [
      "\"events\":", "\\\"type\\\":\\\"account-delete\\\"", "\\\"event_time\\\":", "{\"payload\":\"@TOKEN@\"}",
    ],
    seeds: { _ in
      [
        InputParts.joined(
          #"{"payload":"@TOKEN@"}"#,
          #"{"iss":"https://appleid.apple.com","aud":"com.example.web","exp":1760086400,"iat":1760000000,"jti":"q1","events":"{\"type\":\"consent-revoked\",\"sub\":\"000.a.1\",\"event_time\":1760000000123}"}"#
        ),
        // As Apple documents it.
        InputParts.joined(
          #"{"payload":"@TOKEN@"}"#,
          #"{"iss":"https://appleid.apple.com","aud":"com.example.web","iat":1760000000,"jti":"q2","events":{"type":"account-delete","sub":"000.a.1","event_time":1760000000}}"#
        ),
      ]
    },
    run: { input in
      let world = try World.shared.get()
      let parts = InputParts(input)
      let token = TokenKeys.signed(header: Array(#"{"alg":"ES256","kid":"K1"}"#.utf8), payload: parts[1], by: world.key)
      var request = HTTPRequestValue(
        method: "POST", url: "/events", body: Placeholders.filled(parts[0], ["@TOKEN@": token]))
      try request.headers.append("Content-Type", "application/json")
      let verifier = AppleNotificationVerifier(audiences: ["com.example.web"], service: world.service, clock: now)
      guard let payload = try? verifier.unverifiedPayload(of: request),
        let notifications = try? verifier.verify(payload, keys: world.keys)
      else { return false }
      try require(!notifications.isEmpty, "a notification says something")
      return true
    })

  /// Requests to the stand-in for the service: authorization URL, token form, revocation form.
  private static let standIn = FuzzTarget(
    "siwa-stand-in", maximumByteCount: 768,
    dictionary: [
      "https://appleid.apple.com/auth/authorize?", "client_id=com.example.web",
      "redirect_uri=https%3A%2F%2Fwww.example.com%2Fcb",
      "response_type=code", "response_type=code%20id_token", "response_mode=form_post", "scope=name%20email", "state=s",
      "nonce=n",
      "grant_type=authorization_code", "grant_type=refresh_token", "client_secret=", "code=",
    ],
    seeds: { _ in
      [
        Array(
          "https://appleid.apple.com/auth/authorize?client_id=com.example.web&redirect_uri=https%3A%2F%2Fwww.example.com%2Fcb&response_type=code%20id_token&response_mode=form_post&scope=name%20email&state=s&nonce=n"
            .utf8)
      ]
    },
    run: { input in
      let world = try World.shared.get()
      let text = String(decoding: input, as: UTF8.self)
      return try InlineExecutor.run {
        let apple = AppleStandIn(
          service: world.service, clients: [world.standInClient], signingKey: world.signingKey, clock: now)
        let user = AppleStandInUser(id: "u", givenName: "Z", familyName: "B", email: "z@example.com")
        let answer = await apple.authorize(text, decision: .approve(user))
        for url in [world.service.tokenURL, world.service.revocationURL] {
          var request = HTTPRequestValue.post([:], to: url)
          request.body = input
          _ = await apple.handle(request)
        }
        guard let callback = answer.callback else { return false }
        try require(callback.url.hasPrefix("https://www.example.com/cb"), "only a registered address is answered")
        return true
      }
    })
}
