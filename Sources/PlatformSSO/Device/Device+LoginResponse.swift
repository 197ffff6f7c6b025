import JOSEHTTP
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

extension PlatformSSODevice {
  /// Opens the response to a login or refresh request and verifies the `id_token` in it.
  ///
  /// The key is derived with the PartyVInfo that the request sent, whether the response repeats it or not. Use each response once.
  ///
  /// - Parameters:
  ///   - response: as the HTTP client got it, errors included; its body is the encrypted message.
  ///   - request: the request that this answers.
  ///   - idTokenKeys: the provider's key set.
  /// - Throws: ``PlatformSSOErrorCode/credentialRejected`` if the provider refused the credential,
  ///   ``PlatformSSOErrorCode/serverUnavailable`` for another status than 200; for a wrong response, an error after which tokens are
  ///   to be discarded.
  public func openLoginResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest, idTokenKeys: JWKSet
  ) throws(PlatformSSOError) -> OpenedLoginResponse {
    let message = try loginMessage(response, to: request)
    let plaintext = try open(message, to: request)
    return try checked(plaintext, header: message.header, request: request, idTokenKeys: idTokenKeys)
  }

  /// As ``openLoginResponse(_:to:idTokenKeys:)``, for a key that answers later.
  ///
  /// - Throws: what can be told before opening, as that method; ``PreparedResponse/finish(sharedSecret:)`` throws the rest.
  public func prepareLoginResponse(
    _ response: HTTPResponseValue, to request: DeviceRequest, idTokenKeys: JWKSet
  ) throws(PlatformSSOError) -> PreparedResponse<OpenedLoginResponse> {
    let prepared = try prepareOpening(try loginMessage(response, to: request), to: request)
    return PreparedResponse(prepared) { opened throws(PlatformSSOError) in
      try checked(opened.plaintext, header: opened.header, request: request, idTokenKeys: idTokenKeys)
    }
  }

  private func loginMessage(
    _ response: HTTPResponseValue, to request: DeviceRequest
  ) throws(PlatformSSOError) -> EncryptedMessage {
    guard request.message == .login || request.message == .refresh else {
      throw PlatformSSOError(.callerMisuse, "the request is no login or refresh request", name: "request")
    }
    return try encryptedMessage(response, types: [.loginResponse])
  }

  private func checked(
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
