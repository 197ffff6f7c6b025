import JOSE
import PureCrypto
import StrictJSON

/// A key request or a key exchange request that has been checked. Answer one with
/// ``IdentityProvider/keyResponse(to:certificate:keyContext:)``, the other with
/// ``IdentityProvider/keyExchangeResponse(to:unlockKey:keyContext:)``.
public struct KeyEndpointRequest: Sendable {
  /// What all signed requests have in common, the device among it.
  public let request: VerifiedRequest
  /// The user, to whom the refresh token in the request was given.
  public let userName: String
  /// The refresh token. It was given to this user on this device, and is current or was replaced a moment ago.
  public let refreshToken: String
  /// The key context that the device was given last, if it was given one. Not checked.
  public let keyContext: String?

  /// The other public key: on the curve, which keeps the answer from telling anything of the unlock key.
  let otherPublicKey: P256AgreementPublicKey?

  /// The other public key of a key exchange request, as 65 octets `04 ‖ X ‖ Y`. It is on the curve. Nil for a key
  /// request, which asks for the certificate of the unlock key.
  public var otherPublicKeyX963Representation: [UInt8]? { otherPublicKey?.x963Representation }
}

extension IdentityProvider {
  /// Checks a request to the key endpoint.
  ///
  /// Source: Apple, Supporting key requests and key exchange requests.
  package func keyEndpointRequest(
    from request: HTTPRequestValue
  ) async throws(JOSEError) -> KeyEndpointRequest {
    try await keyEndpointRequest(in: signedForm(request))
  }

  func keyEndpointRequest(in form: SignedForm) async throws(JOSEError) -> KeyEndpointRequest {
    let verified = try await verify(
      form,
      rules: RequestRules(
        type: .keyRequest, versions: PostedForm.keyVersions,
        audiences: { device in configuration.keyRequestAudiences(of: device) },
        isAudienceOptional: !configuration.requiresAudienceInKeyRequests, hasClientID: false))
    let claims = verified.members
    try claims.require("version", KeyRequestMembers.version)
    try claims.require("request_type", oneOf: [KeyRequestMembers.keyRequest, KeyRequestMembers.keyExchange])
    try claims.require("key_purpose", KeyRequestMembers.userUnlock)
    let userName = try checkedUserName(claims)
    let refreshToken = try claims.nonEmptyString("refresh_token")
    let isExchange = try claims.string("request_type").hasSameBytes(as: KeyRequestMembers.keyExchange)
    let otherPublicKey = isExchange ? try otherPublicKey(claims) : nil
    let keyContext = try claims.string(ifPresent: "key_context")
    let login = try await requireLogin(refreshToken, device: verified.device)
    guard login.userName.hasSameBytes(as: userName) else {
      throw JOSEError(.refreshTokenRejected, "the refresh token is another user's", name: "refresh_token")
    }
    try await requireAccount(userName, device: verified.device)
    return KeyEndpointRequest(
      request: verified, userName: userName, refreshToken: refreshToken, keyContext: keyContext,
      otherPublicKey: otherPublicKey)
  }

  /// Answers a key request, encrypted for its device.
  ///
  /// - Parameters:
  ///   - request: what is answered.
  ///   - certificate: of the user's unlock key on this device, in DER: always for the same key.
  ///   - keyContext: opaque text that the device will repeat. It keeps it without protection.
  /// - Throws: `ErrorCode.certificateInvalid`, and `ErrorCode.callerMisuse` for a key exchange request.
  public func keyResponse(
    to request: KeyEndpointRequest, certificate: [UInt8], keyContext: String? = nil
  ) throws(JOSEError) -> HTTPResponseValue {
    guard request.otherPublicKey == nil else {
      throw JOSEError(.callerMisuse, "a key exchange request is answered with a key", name: "request")
    }
    _ = try Certificate.p256PublicKey(of: certificate)
    return try keyResponse(
      to: request.request, ["certificate": .string(Base64URL.encode(certificate))], keyContext: keyContext)
  }

  /// Answers a key exchange request with the shared secret of unlock key and other public key, encrypted for its
  /// device.
  ///
  /// - Parameters:
  ///   - request: what is answered.
  ///   - unlockKey: the one whose certificate answered this user's key request on this device.
  ///   - keyContext: text that replaces the one that the device has.
  /// - Throws: `ErrorCode.callerMisuse` for a key request; `ErrorCode.keyInvalid` if no secret can be shared.
  public func keyExchangeResponse(
    to request: KeyEndpointRequest, unlockKey: UnlockKey, keyContext: String? = nil
  ) throws(JOSEError) -> HTTPResponseValue {
    let key = try sharedSecret(of: unlockKey, for: request)
    return try keyResponse(to: request.request, ["key": .string(key)], keyContext: keyContext)
  }

  /// The shared secret of an unlock key and the other public key of a request, in base64.
  func sharedSecret(of unlockKey: UnlockKey, for request: KeyEndpointRequest) throws(JOSEError) -> String {
    guard let otherPublicKey = request.otherPublicKey else {
      throw JOSEError(.callerMisuse, "a key request is answered with a certificate", name: "request")
    }
    guard let sharedSecret = try? unlockKey.privateKey.sharedSecret(with: otherPublicKey) else {
      throw JOSEError(.keyInvalid, "no secret can be shared with the other key", name: "other_publickey")
    }
    return unsafe sharedSecret.withUnsafeBytes { unsafe Base64.encode($0) }
  }

  private func keyResponse(
    to request: VerifiedRequest, _ members: JSONObject, keyContext: String?
  ) throws(JOSEError) -> HTTPResponseValue {
    var body = members
    let now = clock.now.wholeSeconds
    body["iat"] = .number(JSONNumber(now))
    body["exp"] = .number(JSONNumber(now + 300))
    if let keyContext { body["key_context"] = .string(keyContext) }
    return try encryptedResponse(body, to: request, type: .keyResponse)
  }

  /// 65 octets in padded base64, or in whatever base64 by choice; uncompressed and on the curve.
  func otherPublicKey(_ claims: MessageMembers) throws(JOSEError) -> P256AgreementPublicKey {
    let text = try claims.string("other_publickey")
    let decoded =
      configuration.acceptsAnyBase64InKeyExchange ? AnyBase64.decode(text) : try? Base64.decode(text)
    guard let octets = decoded else { throw claims.invalid("other_publickey") }
    guard let key = try? P256AgreementPublicKey(x963Representation: octets) else {
      throw JOSEError(
        .keyInvalid, "the other key is not an uncompressed point of P-256", name: "other_publickey")
    }
    return key
  }
}

extension KeyEndpointRequest: Redacted {}
