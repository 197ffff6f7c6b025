import JOSE
import PureCrypto
import StrictJSON

/// A key request that has been checked. Answer it with ``IdentityProvider/keyResponse(to:certificate:keyContext:)``.
public struct KeyRequest: Sendable {
  /// What all signed requests have in common.
  public let request: VerifiedRequest
  /// The user, to whom the refresh token in the request was given.
  public let userName: String
  /// The refresh token. It is current, and was given to this user on this device.
  public let refreshToken: String
}

/// A key exchange request that has been checked. Answer it with
/// ``IdentityProvider/keyExchangeResponse(to:unlockKey:keyContext:)``.
public struct KeyExchangeRequest: Sendable {
  /// What all signed requests have in common.
  public let request: VerifiedRequest
  /// The user, to whom the refresh token in the request was given.
  public let userName: String
  /// The refresh token. It is current, and was given to this user on this device.
  public let refreshToken: String
  /// The key context that the device was given last, if it was given one. Not checked.
  public let keyContext: String?

  /// The other public key: on the curve, which keeps the answer from telling anything of the unlock key.
  let otherPublicKey: P256AgreementPublicKey

  /// The other public key, as 65 octets `04 ‖ X ‖ Y`. It is on the curve.
  public var otherPublicKeyX963Representation: [UInt8] { otherPublicKey.x963Representation }
}

/// A request to the key endpoint: both kinds have one type, so the endpoint asks which it is.
public enum KeyEndpointRequest: Sendable {
  /// A key request.
  case key(KeyRequest)
  /// A key exchange request.
  case keyExchange(KeyExchangeRequest)
}

extension IdentityProvider {
  /// Checks a request to the key endpoint.
  ///
  /// Source: Apple, Supporting key requests and key exchange requests.
  /// - Throws: ``PlatformSSOError``, each fault with a code of its own.
  public func keyEndpointRequest(
    from request: HTTPRequestValue
  ) async throws(PlatformSSOError) -> KeyEndpointRequest {
    try await keyEndpointRequest(in: PostedForm(request, configuration: configuration))
  }

  func keyEndpointRequest(in form: PostedForm) async throws(PlatformSSOError) -> KeyEndpointRequest {
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
    let grant = try await requireGrant(refreshToken, device: verified.device)
    guard grant.userName.hasSameBytes(as: userName) else {
      throw PlatformSSOError(.refreshTokenRejected, "the refresh token is another user's", name: "refresh_token")
    }
    try await requireAccount(userName, device: verified.device)
    guard let otherPublicKey else {
      return .key(KeyRequest(request: verified, userName: userName, refreshToken: refreshToken))
    }
    return .keyExchange(
      KeyExchangeRequest(
        request: verified, userName: userName, refreshToken: refreshToken, keyContext: keyContext,
        otherPublicKey: otherPublicKey))
  }

  /// Answers a key request.
  ///
  /// - Parameters:
  ///   - request: from ``keyEndpointRequest(from:)``. The answer is encrypted for its device.
  ///   - certificate: of the user's unlock key on this device, in DER: always for the same key.
  ///   - keyContext: opaque text that the device will repeat. It keeps it without protection.
  /// - Throws: `ErrorCode.certificateInvalid`.
  public func keyResponse(
    to request: KeyRequest, certificate: [UInt8], keyContext: String? = nil
  ) throws(PlatformSSOError) -> HTTPResponseValue {
    _ = try Certificate.p256PublicKey(of: certificate)
    return try keyResponse(
      to: request.request, ["certificate": .string(Base64URL.encode(certificate))], keyContext: keyContext)
  }

  /// Answers a key exchange request with the shared secret of unlock key and other public key.
  ///
  /// - Parameters:
  ///   - request: from ``keyEndpointRequest(from:)``. The answer is encrypted for its device.
  ///   - unlockKey: the one whose certificate answered this user's key request on this device.
  ///   - keyContext: text that replaces the one that the device has.
  /// - Throws: `ErrorCode.keyInvalid` if no secret can be shared with the other key, which a checked
  ///   request rules out.
  public func keyExchangeResponse(
    to request: KeyExchangeRequest, unlockKey: UnlockKey, keyContext: String? = nil
  ) throws(PlatformSSOError) -> HTTPResponseValue {
    guard let sharedSecret = try? unlockKey.privateKey.sharedSecret(with: request.otherPublicKey) else {
      throw PlatformSSOError(.keyInvalid, "no secret can be shared with the other key", name: "other_publickey")
    }
    let key = sharedSecret.withUnsafeBytes { Base64.encode($0) }
    return try keyResponse(to: request.request, ["key": .string(key)], keyContext: keyContext)
  }

  private func keyResponse(
    to request: VerifiedRequest, _ members: JSONObject, keyContext: String?
  ) throws(PlatformSSOError) -> HTTPResponseValue {
    var body = members
    let now = clock.now.wholeSeconds
    body["iat"] = .number(JSONNumber(now))
    body["exp"] = .number(JSONNumber(now + 300))
    if let keyContext { body["key_context"] = .string(keyContext) }
    let token = try encryptedResponse(body, to: request, type: .keyResponse)
    return .success(mediaType: MessageType.keyResponse.mediaType, body: Array(token.utf8))
  }

  /// 65 octets in padded base64, or in whatever base64 by choice; uncompressed and on the curve.
  private func otherPublicKey(_ claims: MessageMembers) throws(PlatformSSOError) -> P256AgreementPublicKey {
    let text = try claims.string("other_publickey")
    let decoded =
      configuration.acceptsAnyBase64InKeyExchange ? AnyBase64.decode(text) : try? Base64.decode(text)
    guard let octets = decoded else { throw claims.invalid("other_publickey") }
    guard let key = try? P256AgreementPublicKey(x963Representation: octets) else {
      throw PlatformSSOError(
        .keyInvalid, "the other key is not an uncompressed point of P-256", name: "other_publickey")
    }
    return key
  }
}

extension KeyRequest: Redacted {}

extension KeyExchangeRequest: Redacted {}
