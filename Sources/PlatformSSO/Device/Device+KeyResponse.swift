import JOSEHTTP
import JOSE
import PureCrypto
import StrictJSON

/// The answer to a key request.
public struct KeyResponse: Sendable {
  /// The certificate of the unlock key, in DER. Its signature is not checked, and its dates only under
  /// ``LoginConfiguration/checksCertificateValidity``.
  public let certificate: [UInt8]

  /// The certificate's public key, as 65 octets `04 ‖ X ‖ Y`. It is on the curve.
  public let publicKeyX963Representation: [UInt8]

  /// What the next key exchange request repeats, if the provider gave it.
  public let keyContext: String?

  /// Every other member of the response.
  public let additional: JSONObject
}

/// The answer to a key exchange request.
public struct KeyExchangeResponse: Sendable {
  /// The shared secret: the x-coordinate of the product of unlock key and other public key, 32 octets. No key derivation has been applied.
  public let key: SecretBytes

  /// What replaces the key context that the device has, if the provider gave it.
  public let keyContext: String?

  /// Every other member of the response.
  public let additional: JSONObject
}

extension PlatformSSODevice {
  /// Opens the answer to a key request.
  ///
  /// - Throws: as ``openLoginResponse(_:to:idTokenKeys:)``, and ``PlatformSSOErrorCode/certificateInvalid``.
  public func openKeyResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(PlatformSSOError) -> KeyResponse {
    let message = try keyMessage(response, to: request, message: .key)
    return try keyResponse(try open(message, to: request))
  }

  /// As ``openKeyResponse(_:to:)``, for a key that answers later.
  ///
  /// - Throws: what can be told before opening, as that method; ``PreparedResponse/finish(sharedSecret:)`` throws the rest.
  public func prepareKeyResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(PlatformSSOError) -> PreparedResponse<KeyResponse> {
    let prepared = try prepareOpening(try keyMessage(response, to: request, message: .key), to: request)
    return PreparedResponse(prepared) { opened throws(PlatformSSOError) in try keyResponse(opened.plaintext) }
  }

  private func keyResponse(_ plaintext: [UInt8]) throws(PlatformSSOError) -> KeyResponse {
    let members = try keyResponseMembers(plaintext)
    let text = try members.string("certificate")
    guard let certificate = AnyBase64.decode(text) else { throw members.invalid("certificate") }
    if configuration.checksCertificateValidity {
      guard try Certificate.validity(of: certificate).contains(clock.now) else {
        throw PlatformSSOError(.certificateInvalid, "the certificate is not valid now", name: "certificate")
      }
    }
    return KeyResponse(
      certificate: certificate, publicKeyX963Representation: try Certificate.p256PublicKey(of: certificate),
      keyContext: try members.string(ifPresent: "key_context"),
      additional: members.object(without: ["certificate", "key_context"]))
  }

  /// Opens the answer to a key exchange request.
  ///
  /// - Throws: as ``openLoginResponse(_:to:idTokenKeys:)``.
  public func openKeyExchangeResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(PlatformSSOError) -> KeyExchangeResponse {
    let message = try keyMessage(response, to: request, message: .keyExchange)
    return try keyExchangeResponse(try open(message, to: request))
  }

  /// As ``openKeyExchangeResponse(_:to:)``, for a key that answers later.
  ///
  /// - Throws: what can be told before opening, as that method; ``PreparedResponse/finish(sharedSecret:)`` throws the rest.
  public func prepareKeyExchangeResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(PlatformSSOError) -> PreparedResponse<KeyExchangeResponse> {
    let prepared = try prepareOpening(try keyMessage(response, to: request, message: .keyExchange), to: request)
    return PreparedResponse(prepared) { opened throws(PlatformSSOError) in try keyExchangeResponse(opened.plaintext) }
  }

  private func keyExchangeResponse(_ plaintext: [UInt8]) throws(PlatformSSOError) -> KeyExchangeResponse {
    let members = try keyResponseMembers(plaintext)
    let text = try members.string("key")
    let lengths = configuration.shortCoordinates == .leftPadded ? 30...32 : 32...32
    guard let key = AnyBase64.decode(text), lengths.contains(key.count) else { throw members.invalid("key") }
    return KeyExchangeResponse(
      key: SecretBytes(copying: EphemeralKeyMember.leftPadded(key)),
      keyContext: try members.string(ifPresent: "key_context"),
      additional: members.object(without: ["key", "key_context"]))
  }

  private func keyMessage(
    _ response: HTTPResponseValue, to request: DeviceRequest, message expected: DeviceRequest.Message
  ) throws(PlatformSSOError) -> EncryptedMessage {
    guard request.message == expected else {
      throw PlatformSSOError(.callerMisuse, "the request is of another kind", name: "request")
    }
    let types =
      [.keyResponse] + (configuration.acceptsLoginResponseTypeInKeyResponses ? [MessageType.loginResponse] : [])
    return try encryptedMessage(response, types: types + configuration.acceptedKeyResponseTypes)
  }

  private func keyResponseMembers(_ plaintext: [UInt8]) throws(PlatformSSOError) -> MessageMembers {
    let members = try MessageMembers(parsing: plaintext, limits: limits)
    let now = clock.now
    let isRequired = configuration.requiresKeyResponseTimes
    let issuedAt = isRequired ? try members.time("iat") : try members.time(ifPresent: "iat")
    if let issuedAt, issuedAt > now.advanced(by: configuration.clockSkew) {
      throw PlatformSSOError(.claimNotYetValid, "the response was made in the future", name: "iat")
    }
    let expiration = isRequired ? try members.time("exp") : try members.time(ifPresent: "exp")
    if let expiration, expiration <= now {
      throw PlatformSSOError(.claimExpired, "the response has expired", name: "exp")
    }
    return members
  }
}

extension MessageMembers {
  /// The members but for some.
  func object(without names: [String]) -> JSONObject {
    JSONObject(object.members.filter { !names.containsBytes(of: $0.name) }.map { ($0.name, $0.value) })
  }
}
