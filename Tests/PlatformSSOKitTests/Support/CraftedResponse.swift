import JOSE
import PlatformSSOKit
import PureCrypto
import StrictJSON

/// A response made by hand, each part of which a test may make wrong.
struct CraftedResponse {
  let ephemeralKey: P256PrivateKey
  var header: JSONObject
  /// What the sender derives its key from.
  var partyUInfo: [UInt8]
  var partyVInfo: [UInt8]
  /// One of another length than 12 octets; nil for a fresh one of 12.
  var initializationVector: [UInt8]?
  /// What stands between the first two dots.
  var encryptedKey = ""
  /// How the key is derived from the shared secret; nil for Concat KDF as the protocol has it.
  var derive: ((SharedSecret) -> [UInt8])?

  init(to request: DeviceRequest, type: String = "platformsso-login-response+jwt") {
    ephemeralKey = P256PrivateKey()
    let key = ephemeralKey.publicKey
    partyUInfo = PartyUInfo.octets(ephemeralKeyX963Representation: key.x963Representation)
    partyVInfo = request.agreementPartyVInfo.octets
    header = [
      "alg": "ECDH-ES", "enc": "A256GCM", "typ": .string(type), "apu": .string(Base64URL.encode(partyUInfo)),
      "epk": [
        "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(key.x)), "y": .string(Base64URL.encode(key.y)),
      ],
    ]
  }

  /// The compact JWE for the device of the fixture.
  func sealed(_ body: JSONObject) throws -> String {
    let recipient = try VectorKeys.privateKey("psso-vector/device-encryption").publicKey
    let secret = try ephemeralKey.sharedSecret(with: recipient)
    let info = KeyAgreement.otherInfo(
      algorithmID: "A256GCM", partyUInfo: partyUInfo, partyVInfo: partyVInfo, keyBitCount: 256)
    let key =
      try derive?(secret)
      ?? secret.concatKDFDerivedKey(otherInfo: info, bitCount: 256).withUnsafeBytes { Array($0) }
    let head = Base64URL.encode(header.serialized())
    if let initializationVector {
      let sealed =
        initializationVector.isEmpty
        ? (ciphertext: [1], authenticationTag: [UInt8](repeating: 0, count: 16))
        : try AESGCM(key: key).seal(
          body.serialized(), authenticating: Array(head.utf8), anyInitializationVector: initializationVector)
      return [
        head, encryptedKey, Base64URL.encode(initializationVector), Base64URL.encode(sealed.ciphertext),
        Base64URL.encode(sealed.authenticationTag),
      ].joined(separator: ".")
    }
    let box = try AESGCM(key: key).seal(body.serialized(), authenticating: Array(head.utf8))
    return [
      head, encryptedKey, Base64URL.encode(box.initializationVector), Base64URL.encode(box.ciphertext),
      Base64URL.encode(box.authenticationTag),
    ].joined(separator: ".")
  }
}

extension Fixture {
  /// A refresh request with the nonce of the vectors.
  func vectorRequest() throws -> DeviceRequest {
    try device.refreshRequest(
      refreshToken: "rt",
      nonces: RequestNonces(serverNonce: "n", clientNonce: "0F3A5C7E-1B2D-4E6F-8A9B-0C1D2E3F4A5B"))
  }

  /// The body of a login response to it, with the vectors' `id_token`.
  static var tokens: JSONObject {
    ["id_token": .string(MessageVectors.s4i), "refresh_token": "r", "refresh_token_expires_in": 28_800]
  }

  /// What the device says of a response; nil if it takes it.
  func refusal(of token: String, to request: DeviceRequest) -> JOSEError? {
    do throws(JOSEError) {
      _ = try device.openLoginResponse(
        HTTPResponseValue(status: 200, body: Array(token.utf8)), to: request, idTokenKeys: idTokenKeys)
      return nil
    } catch { return error }
  }

  /// What the provider says of a request of any kind; nil if it takes it.
  func refusal(of request: HTTPRequestValue) async -> JOSEError? {
    do throws(JOSEError) {
      _ = try await provider.checkedRequest(request)
      return nil
    } catch { return error }
  }
}
