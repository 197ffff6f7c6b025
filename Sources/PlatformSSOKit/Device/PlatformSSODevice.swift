import JOSE
import PureCrypto
import StrictJSON

/// A Mac's side of Platform SSO: builds the requests that macOS sends, and opens and checks the responses.
///
/// Nothing here opens a socket. Each method returns an HTTP request to send, or takes the HTTP response that came.
///
/// ```swift
/// let device = PlatformSSODevice(configuration: configuration, keys: try .generate())
/// let nonceRequest = device.serverNonceRequest()
/// let nonces = try device.requestNonces(from: send(nonceRequest), to: nonceRequest)
/// let request = try device.refreshRequest(refreshToken: token, nonces: nonces)
/// let login = try device.openLoginResponse(send(request.httpRequest), to: request, idTokenKeys: keySet)
/// ```
public struct PlatformSSODevice: Sendable {
  /// What the SSO extension configured.
  public var configuration: LoginConfiguration

  /// The device's keys.
  public var keys: DeviceKeys

  /// Where "now" comes from.
  public var clock: WallClock

  /// Bounds on responses.
  package var limits: Limits

  /// A Mac with the configuration and the keys of its registration.
  public init(
    configuration: LoginConfiguration, keys: DeviceKeys, clock: WallClock = .system, limits: Limits = .default
  ) {
    (self.configuration, self.keys, self.clock, self.limits) = (configuration, keys, clock, limits)
  }
}

extension PlatformSSODevice {
  /// Asks for a server nonce. One precedes each login, refresh, key and key exchange request.
  public func serverNonceRequest() -> HTTPRequestValue {
    var fields: FormFields = ["grant_type": GrantType.serverChallenge]
    for value in configuration.customNonceRequestValues.fields { fields.append(value.name, value.value) }
    return .post(
      fields, to: configuration.nonceEndpointURL ?? configuration.tokenEndpointURL,
      headers: HTTPHeaderFields(
        known:
          configuration.additionalHTTPHeaders.added(
            to: [("Accept", MediaType.json), ("client-request-id", UUIDText.random())])))
  }

  /// Takes the nonce from the response, the string at `nonceResponseKeypath` of the configuration, and makes the other
  /// nonces of the request that will use it. The `client-request-id` is that of the nonce request.
  ///
  /// - Throws: `ErrorCode.serverRefused` for an OAuth error, with its code as the name if it is a registered one;
  ///   `ErrorCode.serverUnavailable` if the status is not 200 for another reason; `ErrorCode.malformed` if the body is
  ///   not a JSON object; `ErrorCode.claimMissing` or `ErrorCode.claimInvalid` if there is no non-empty string at the
  ///   configured key path.
  public func requestNonces(
    from response: HTTPResponseValue, to request: HTTPRequestValue
  ) throws(JOSEError) -> RequestNonces {
    let path = configuration.nonceResponseKeypath
    let expected = "a JSON object with a text at \(path)"
    let unexpected = UnexpectedResponse(response: response, withheld: configuration.withheldValues)
    guard response.status == 200 else {
      throw unexpected.notSuccess("the nonce endpoint did not answer with status 200")
    }
    let body = try unexpected.members(expected: expected, limits: limits)
    guard let value = body.object.value(atKeyPath: path) else {
      throw unexpected.adding(expected: expected, to: body.missing("nonce"))
    }
    guard case .string(let nonce) = value, !nonce.isEmpty else {
      throw unexpected.adding(expected: expected, to: body.invalid("nonce"))
    }
    return RequestNonces(serverNonce: nonce, clientRequestID: request.headers.values("client-request-id").first)
  }
}

extension JSONObject {
  /// The value at member names joined by dots. A member whose name is the whole path comes first, so that a name may
  /// hold a dot.
  package func value(atKeyPath path: String) -> JSONValue? {
    if let value = self[path] { return value }
    let names = path.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    var value = JSONValue.object(self)
    for name in names {
      guard case .object(let object) = value, let next = object[String(Substring(name))] else { return nil }
      value = next
    }
    return value
  }
}

extension PlatformSSODevice {
  /// A request that this device has sent, read back from what was sent: for a process that did not make it itself.
  ///
  /// - Throws: `JOSEError` if this device, with these keys and this configuration, did not make the request.
  package func sentRequest(_ httpRequest: HTTPRequestValue) throws(JOSEError) -> DeviceRequest {
    guard let form = try? httpRequest.form(acceptsDuplicates: true),
      let assertion = try? form.uniqueValue(configuration.requestParameterName)
    else {
      throw JOSEError(.fieldMissing, "the form has no signed request", name: configuration.requestParameterName)
    }
    let verified = try JWS.verify(assertion, with: keys.signingVerificationKey, limits: limits)
    let claims = try MessageMembers(parsing: verified.payload, limits: limits)
    let clientNonce = try claims.nonEmptyString("nonce")
    let partyVInfo = try JWECryptoParameters.partyVInfo(claims)
    guard partyVInfo.encryptionKeyX963Representation == keys.encryptionKeyX963Representation else {
      throw JOSEError(.partyInfoKeyMismatch, "the key is not this device's", name: "apv")
    }
    guard WireName(partyVInfo.nonce) == clientNonce else {
      throw JOSEError(.partyInfoNonceMismatch, "the nonce is not the request's", name: "apv")
    }
    let hasEncryptedPassword = claims.object["assertion"]?.stringValue?.utf8.count { $0 == 0x2E } == 4
    return DeviceRequest(
      message: try Self.message(claims), httpRequest: httpRequest, assertion: assertion,
      nonces: RequestNonces(
        serverNonce: try claims.nonEmptyString(configuration.serverNonceClaimName), clientNonce: clientNonce,
        clientRequestID: httpRequest.headers.values("client-request-id").first),
      agreementPartyVInfo: partyVInfo, asksForKey: claims.object["other_publickey"] != nil,
      withheld: hasEncryptedPassword
        ? nil : [assertion] + configuration.credentials(in: claims.object) + configuration.withheldValues)
  }

  /// Key requests have `request_type`; the grant tells the others apart, whatever `typ` has been made.
  private static func message(_ claims: MessageMembers) throws(JOSEError) -> DeviceRequest.Message {
    if let type = try claims.string(ifPresent: "request_type") {
      return WireName(type) == KeyRequestMembers.keyExchange ? .keyExchange : .key
    }
    return try claims.name("grant_type") == GrantType.refreshToken ? .refresh : .login
  }
}

extension PlatformSSODevice {
  /// Opens a response whose initialization vector has more than 12 octets, which JOSE does not know.
  ///
  /// The counter that such a vector is hashed to depends on the message's key. Each response has a key of its own, so
  /// that no one can time two operations under one.
  ///
  /// Source: NIST SP 800-38D §7.1.
  func openLongVector(
    _ message: EncryptedMessage, partyVInfo: [UInt8], key: DecryptionKey
  ) throws(JOSEError) -> [UInt8] {
    let failed = JOSEError.messageNotOpened
    let sealed = message.message
    guard sealed.encryptedKey.isEmpty, sealed.authenticationTag.count == 16,
      sealed.ciphertext.count <= limits.tokenByteCount
    else { throw JOSEError(.malformed, "not a compact JWE of this protocol") }
    let secret = try key.sharedSecret(with: .ec(.p256(message.ephemeralKey)))
    let info = KeyAgreement.otherInfo(
      algorithmID: "A256GCM", partyUInfo: message.agreementPartyUInfo, partyVInfo: partyVInfo, keyBitCount: 256)
    guard let derived = try? secret.concatKDFDerivedKey(otherInfo: info, bitCount: 256),
      let cipher = try? AESGCM(key: derived),
      let plaintext = try? cipher.open(
        ciphertext: sealed.ciphertext, truncatedTag: sealed.authenticationTag,
        anyInitializationVector: sealed.initializationVector, authenticating: sealed.headerText)
    else { throw failed }
    return plaintext
  }
}
