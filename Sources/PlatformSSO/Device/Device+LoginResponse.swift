import HTTPValues
import JOSE
import StrictJSON

/// A login response that has been opened, and whose `id_token` has been verified.
public struct OpenedLoginResponse: Sendable {
  /// The tokens.
  public let response: LoginResponse

  /// The verified `id_token`.
  public let idToken: VerifiedIDToken

  /// The Kerberos tickets that ``LoginConfiguration/kerberosTicketMappings`` finds.
  public let kerberosTickets: [KerberosTicket]

  /// The response's header. Its `kid` and `typ` are for information only.
  public let header: ProtectedHeader
}

/// A login response that waits for its shared secret, for a key that answers later.
public struct PreparedLoginResponse: Sendable {
  private let prepared: PreparedDecryption
  private let device: Device
  private let request: DeviceRequest
  private let idTokenKeys: JWKSet

  init(prepared: PreparedDecryption, device: Device, request: DeviceRequest, idTokenKeys: JWKSet) {
    self.prepared = prepared
    self.device = device
    self.request = request
    self.idTokenKeys = idTokenKeys
  }

  /// The sender's ephemeral public key, as 65 octets `04 ‖ X ‖ Y`. It is on the curve.
  public var ephemeralPublicKey: [UInt8] { prepared.ephemeralPublicKey }

  /// Opens and checks the response.
  ///
  /// - Parameter sharedSecret: the x-coordinate of the product of the device's private encryption key and ``ephemeralPublicKey``:
  ///   32 octets, big-endian.
  /// - Throws: as ``Device/openLoginResponse(_:to:idTokenKeys:)``.
  public func finish(sharedSecret: [UInt8]) throws(PlatformSSOError) -> OpenedLoginResponse {
    let opened = try reportingJOSE { () throws(JOSEError) in try prepared.finish(sharedSecret: sharedSecret) }
    return try device.checked(opened.plaintext, header: opened.header, request: request, idTokenKeys: idTokenKeys)
  }
}

extension Device {
  /// Opens the response to a login or refresh request and verifies the `id_token` in it.
  ///
  /// The key is derived with the PartyVInfo that the request sent, whether the response repeats it or not. Use each response once.
  ///
  /// - Parameters:
  ///   - request: the request that this answers.
  ///   - idTokenKeys: the provider's key set.
  /// - Throws: ``PlatformSSOError/Code/credentialRejected`` if the provider refused the credential,
  ///   ``PlatformSSOError/Code/serverUnavailable`` for another status than 200; for a wrong response, an error after which tokens are
  ///   to be discarded.
  public func openLoginResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest, idTokenKeys: JWKSet
  ) throws(PlatformSSOError) -> OpenedLoginResponse {
    let message = try loginMessage(response, to: request)
    let plaintext = try open(message, to: request)
    return try checked(plaintext, header: message.header, request: request, idTokenKeys: idTokenKeys)
  }

  /// As ``openLoginResponse(_:to:idTokenKeys:)``, for a key that answers later.
  public func prepareLoginResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest, idTokenKeys: JWKSet
  ) throws(PlatformSSOError) -> PreparedLoginResponse {
    let message = try loginMessage(response, to: request)
    return PreparedLoginResponse(
      prepared: try prepareOpening(message, to: request), device: self, request: request, idTokenKeys: idTokenKeys)
  }

  private func loginMessage(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(PlatformSSOError) -> EncryptedMessage {
    guard request.message == .login || request.message == .refresh else {
      throw PlatformSSOError(.callerMisuse, "the request is no login or refresh request", name: "request")
    }
    return try encryptedMessage(response, types: [.loginResponse])
  }

  fileprivate func checked(
    _ plaintext: [UInt8], header: ProtectedHeader, request: DeviceRequest, idTokenKeys: JWKSet
  ) throws(PlatformSSOError) -> OpenedLoginResponse {
    let tokens = try LoginResponse(MessageMembers(parsing: plaintext, limits: limits))
    let idToken = try verifiedIDToken(tokens.idToken, clientNonce: request.nonces.clientNonce, keys: idTokenKeys)
    var tickets: [KerberosTicket] = []
    for mapping in configuration.kerberosTicketMappings {
      if let ticket = try KerberosTicket(mapping, in: tokens.additional) { tickets.append(ticket) }
    }
    return OpenedLoginResponse(response: tokens, idToken: idToken, kerberosTickets: tickets, header: header)
  }
}
