import JOSE
import PlatformSSOKit
import PureCrypto
import StrictJSON

extension FuzzTarget {
  static let platformSSOResponseTargets = [
    loginResponse, keyResponse, keyExchangeResponse, encryptedText, nonceResponse, certificate, parties,
    idTokenKeys,
  ]

  private static let words =
    headerWords + claimWords + [
      "\"id_token\":\"@IDTOKEN@\"", "\"refresh_token\":", "\"refresh_token_expires_in\":", "\"expires_in\":",
      "\"token_type\":",
      "\"certificate\":", "\"key\":", "\"key_context\":", "@APU@", "@APV@", "\"groups\":[",
    ]

  private struct Requests {
    let login: DeviceRequest
    let key: DeviceRequest
    let exchange: DeviceRequest
    let answer: EncryptedAnswer
    let certificate: [UInt8]

    static let shared = Result { try Requests() }

    private init() throws {
      let world = try PlatformSSOWorld.shared.get()
      login = try world.device.refreshRequest(refreshToken: "rt-1", nonces: PlatformSSOWorld.nonces)
      key = try world.device.keyRequest(
        of: PlatformSSOWorld.user, refreshToken: "rt-1", nonces: PlatformSSOWorld.nonces)
      exchange = try world.device.keyRequest(
        of: PlatformSSOWorld.user, refreshToken: "rt-1", otherPublicKey: world.userKey.publicKey.x963Representation,
        keyContext: nil,
        nonces: PlatformSSOWorld.nonces)
      let recipient = try P256PublicKey(x963Representation: world.device.keys.encryptionKeyX963Representation)
      answer = try EncryptedAnswer(recipient: recipient, partyVInfo: login.agreementPartyVInfo.octets)
      certificate = try UnlockKey(rawRepresentation: SecretBytes(copying: TokenKeys.secret))
        .selfSignedCertificate(commonName: "fuzz", notBefore: PlatformSSOWorld.now)
    }
  }

  /// A login or refresh response: header, members, claims of the ID token.
  private static let loginResponse = FuzzTarget(
    "psso-login-response", maximumByteCount: 1024, dictionary: words,
    seeds: { _ in
      [
        InputParts.joined(
          EncryptedAnswer.header(type: "platformsso-login-response+jwt"),
          Array(
            #"{"id_token":"@IDTOKEN@","refresh_token":"rt-2","refresh_token_expires_in":28800,"token_type":"Bearer","x":1}"#
              .utf8),
          Array(
            #"{"iss":"https://idp.example.com","aud":"psso-client","sub":"u","nonce":"\#(PlatformSSOWorld.clientNonce)","iat":1767225600,"exp":1767254400,"groups":["a"]}"#
              .utf8))
      ]
    },
    run: { input in
      let world = try PlatformSSOWorld.shared.get()
      let requests = try Requests.shared.get()
      let parts = InputParts(input)
      let idToken = TokenKeys.signed(
        header: Array(#"{"alg":"ES256","kid":"idp-1"}"#.utf8), payload: parts[2], by: world.idTokenKey)
      let body = Placeholders.filled(parts[1], ["@IDTOKEN@": idToken])
      let token = try requests.answer.token(header: parts[0], plaintext: body)
      let response = HTTPResponseValue(status: 200, body: Array(token.utf8))
      guard
        let opened = try? world.device.openLoginResponse(response, to: requests.login, idTokenKeys: world.idTokenKeys)
      else { return false }
      try require(
        opened.idToken.claims["nonce"]?.stringValue == PlatformSSOWorld.clientNonce, "the ID token answers this request"
      )
      return true
    })

  /// A key response: header, members.
  private static let keyResponse = FuzzTarget(
    "psso-key-response", maximumByteCount: 1024, dictionary: words,
    seeds: { _ in
      let text = Base64URL.encode(try Requests.shared.get().certificate)
      return [
        InputParts.joined(
          EncryptedAnswer.header(type: "platformsso-key-response+jwt"),
          Array(#"{"certificate":"\#(text)","key_context":"c","iat":1767225600,"exp":1767225900}"#.utf8))
      ]
    },
    run: { input in
      let requests = try Requests.shared.get()
      let opened = try? PlatformSSOWorld.shared.get().device.openKeyResponse(try response(input), to: requests.key)
      return opened != nil
    })

  /// A key exchange response: header, members.
  private static let keyExchangeResponse = FuzzTarget(
    "psso-key-exchange-response", maximumByteCount: 1024, dictionary: words,
    seeds: { _ in
      [
        InputParts.joined(
          EncryptedAnswer.header(type: "platformsso-key-response+jwt"),
          Array(
            #"{"key":"\#(Base64.encode(TokenKeys.secret))","key_context":"c","iat":1767225600,"exp":1767225900}"#.utf8))
      ]
    },
    run: { input in
      let requests = try Requests.shared.get()
      var device = try PlatformSSOWorld.shared.get().device
      guard let opened = try? device.openKeyExchangeResponse(try response(input), to: requests.exchange) else {
        return false
      }
      try require(opened.key.count == 32, "the key has 32 octets")
      device.configuration.acceptsShortCoordinates = true
      _ = try device.openKeyExchangeResponse(try response(input), to: requests.exchange)
      return true
    })

  /// An encrypted response as it came: status and body.
  private static let encryptedText = FuzzTarget(
    "psso-response-text", maximumByteCount: 1024, dictionary: words + ["....", "{\"error\":\"invalid_grant\"}"],
    seeds: { _ in
      let token = try Requests.shared.get().answer.token(
        header: EncryptedAnswer.header(type: "platformsso-login-response+jwt"), plaintext: Array("{}".utf8))
      return [InputParts.joined("200", token), InputParts.joined("400", #"{"error":"invalid_grant"}"#)]
    },
    run: { input in
      let world = try PlatformSSOWorld.shared.get()
      let requests = try Requests.shared.get()
      let parts = InputParts(input)
      let response = HTTPResponseValue(status: Int(parts.text(0)) ?? 200, body: parts[1])
      var device = world.device
      var isAccepted = false
      for acceptsShortCoordinates in [false, true] {
        device.configuration.acceptsShortCoordinates = acceptsShortCoordinates
        _ = try? device.openLoginResponse(response, to: requests.login, idTokenKeys: world.idTokenKeys)
        _ = try? device.openKeyResponse(response, to: requests.key)
        // Opening one needs an ID token; preparing to open one does not.
        let prepared = try? device.prepareLoginResponse(
          response, to: requests.login, idTokenKeys: world.idTokenKeys)
        if prepared != nil { isAccepted = true }
      }
      return isAccepted
    })

  /// A nonce response: the path to the nonce, and the body.
  private static let nonceResponse = FuzzTarget(
    "psso-nonce-response", maximumByteCount: 192, dictionary: ["Nonce", "nonce.value", ".", "\"Nonce\":"],
    seeds: { _ in [InputParts.joined("Nonce", #"{"Nonce":"n"}"#), InputParts.joined("a.b", #"{"a":{"b":"n"}}"#)] },
    run: { input in
      let parts = InputParts(input)
      var device = try PlatformSSOWorld.shared.get().device
      device.configuration.nonceResponseKeypath = parts.text(0)
      let request = device.serverNonceRequest()
      guard
        let nonces = try? device.requestNonces(from: HTTPResponseValue(status: 200, body: parts[1]), to: request)
      else { return false }
      try require(!nonces.serverNonce.isEmpty, "a nonce is not empty")
      return true
    })

  /// The provider's keys, with coordinates that may lack leading zeros.
  private static let idTokenKeys = FuzzTarget(
    "psso-id-token-keys", maximumByteCount: 512,
    dictionary: ["\"keys\":[", "\"kty\":\"EC\"", "\"crv\":\"P-256\"", "\"x\":\"", "\"y\":\"", "\"kid\":\""],
    seeds: { _ in
      let world = try PlatformSSOWorld.shared.get()
      return [
        world.idTokenKeys.serialized(),
        Array(
          #"{"keys":[{"kty":"EC","crv":"P-256","kid":"1","x":"AQ","y":"AQ"},{"kty":"EC","crv":"P-256","x":5},7]}"#.utf8),
      ]
    },
    run: { input in
      var configuration = try PlatformSSOWorld.shared.get().device.configuration
      configuration.acceptsShortCoordinates = false
      let strict = try? configuration.idTokenKeys(parsing: input)
      configuration.acceptsShortCoordinates = true
      let padded = try? configuration.idTokenKeys(parsing: input)
      try require((padded?.keys.count ?? 0) >= (strict?.keys.count ?? 0), "filling up takes no key away")
      return padded != nil
    })

  /// A certificate, of which the public key is read.
  private static let certificate = FuzzTarget(
    "psso-certificate", maximumByteCount: 640,
    seeds: { _ in [try Requests.shared.get().certificate] },
    run: { input in
      let world = try PlatformSSOWorld.shared.get()
      let requests = try Requests.shared.get()
      let body = Array(#"{"certificate":"\#(Base64URL.encode(input))","iat":1767225600,"exp":1767225900}"#.utf8)
      let token = try requests.answer.token(header: EncryptedAnswer.header(type: "JWT"), plaintext: body)
      let response = HTTPResponseValue(status: 200, body: Array(token.utf8))
      guard let opened = try? world.device.openKeyResponse(response, to: requests.key) else { return false }
      try require(
        opened.certificate == input && opened.publicKeyX963Representation.count == 65, "a certificate holds a point")
      return true
    })

  /// Party information, key identifiers, keys as a device registers them, and key contexts.
  private static let parties = FuzzTarget(
    "psso-parties", maximumByteCount: 256,
    dictionary: ["-----BEGIN PUBLIC KEY-----\n", "\n-----END PUBLIC KEY-----", "Apple"],
    seeds: { _ in
      let world = try PlatformSSOWorld.shared.get()
      let login = try Requests.shared.get().login
      return [
        login.agreementPartyVInfo.octets, Array(world.device.keys.signingKeyID.text.utf8),
        Array(Base64.encode(world.device.keys.signingKeyX963Representation).utf8),
        Array(world.userKey.publicKey.pemRepresentation.utf8),
      ]
    },
    run: { input in
      let text = String(decoding: input, as: UTF8.self)
      var isAccepted = false
      if let info = try? PartyVInfo(parsing: input) {
        isAccepted = true
        try require(info.octets == input, "party information is its octets")
      }
      if let identifier = try? KeyIdentifier(parsing: text) {
        try require((try KeyIdentifier(parsing: identifier.text)) == identifier, "an identifier survives")
      }
      for key in [try? RegisteredKey(registering: text), try? RegisteredKey(registering: input)].compactMap({ $0 }) {
        try require(
          (try RegisteredKey(registering: Base64.encode(key.x963Representation), claimedKeyID: key.keyID.text)) == key,
          "a key survives")
      }
      let contexts = try KeyContexts(secret: SecretBytes(copying: TokenKeys.secret))
      try require((try? contexts.open(text, userName: "u", deviceID: "d")) == nil, "nobody guesses a context")
      _ = MessageType(text).matches("application/jwt")
      return isAccepted
    })

  private static func response(_ input: [UInt8]) throws -> HTTPResponseValue {
    let parts = InputParts(input)
    let token = try Requests.shared.get().answer.token(header: parts[0], plaintext: parts[1])
    return HTTPResponseValue(status: 200, body: Array(token.utf8))
  }
}
