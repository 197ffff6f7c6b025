import JOSEHTTP
import JOSE
import StrictJSON

/// A request for a server nonce.
public struct ServerNonceRequest: Sendable {
  /// What to send.
  public let httpRequest: HTTPRequestValue

  /// The value of `client-request-id`, which the request that uses the nonce repeats.
  public let clientRequestID: String
}

extension ServerNonceRequest {
  /// A request that another process sent.
  package init(sent httpRequest: HTTPRequestValue) {
    self.init(
      httpRequest: httpRequest,
      clientRequestID: httpRequest.headers.values("client-request-id").first ?? UUIDText.random())
  }
}

extension PlatformSSODevice {
  /// Asks for a server nonce. One precedes each login, refresh, key and key exchange request.
  public func serverNonceRequest() -> ServerNonceRequest {
    let clientRequestID = UUIDText.random()
    var fields = FormFields()
    fields.append("grant_type", GrantType.serverChallenge)
    for value in configuration.customNonceRequestValues { fields.append(value.name, value.value) }
    return ServerNonceRequest(
      httpRequest: .post(
        fields, to: configuration.nonceEndpointURL ?? configuration.tokenEndpointURL,
        headers: .known(
          configuration.additionalHTTPHeaders.added(
            to: [("Accept", MediaType.json), ("client-request-id", clientRequestID)]))),
      clientRequestID: clientRequestID)
  }

  /// Takes the nonce from the response, and makes the other nonces of the request that will use it.
  ///
  /// - Throws: ``PlatformSSOErrorCode/serverUnavailable`` if the status is not 200, ``PlatformSSOErrorCode/malformed`` if the body is no
  ///   JSON object, ``PlatformSSOErrorCode/claimMissing`` or ``PlatformSSOErrorCode/claimInvalid`` if there is no non-empty string at the
  ///   configured key path.
  public func requestNonces(
    from response: HTTPResponseValue, to request: ServerNonceRequest
  ) throws(PlatformSSOError) -> RequestNonces {
    RequestNonces(serverNonce: try serverNonce(from: response), clientRequestID: request.clientRequestID)
  }

  /// Takes the nonce from the response: the string at ``LoginConfiguration/nonceResponseKeypath``.
  func serverNonce(from response: HTTPResponseValue) throws(PlatformSSOError) -> String {
    guard response.status == 200 else {
      throw PlatformSSOError(.serverUnavailable, "the nonce endpoint did not answer with status 200")
    }
    let body = try MessageMembers(parsing: response.body, limits: limits)
    let path = configuration.nonceResponseKeypath
    guard let value = body.object.value(atKeyPath: path) else { throw body.missing("nonce") }
    guard case .string(let nonce) = value, !nonce.isEmpty else { throw body.invalid("nonce") }
    return nonce
  }
}

extension JSONObject {
  /// The value at member names joined by dots. A member whose name is the whole path comes first, so that a name may hold a dot.
  func value(atKeyPath path: String) -> JSONValue? {
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
