import JOSEHTTP
import JOSE
import StrictJSON

/// A preauthentication request: how does this user log in?
public struct DevicePreauthenticationRequest: Sendable {
  /// What to send.
  public let httpRequest: HTTPRequestValue

  /// The value of `client-request-id`.
  public let clientRequestID: String
}

/// What a preauthentication response says of the user.
public enum Preauthentication: Sendable {
  /// He logs in as everybody does.
  case notFederated
  /// He logs in by a browser (macOS 27).
  case webAuthorization(WebAuthorizationEndpoint)
}

/// Where a user logs in by a browser.
public struct WebAuthorizationEndpoint: Sendable, Hashable {
  /// The address, by `https`.
  public let url: String

  /// What the device signs and posts there. If nil, the browser just goes there.
  public let parameters: AuthorizationParameters?

  /// An endpoint that is known otherwise than by a preauthentication response.
  public init(url: String, parameters: AuthorizationParameters?) {
    self.url = url
    self.parameters = parameters
  }
}

extension PlatformSSODevice {
  /// Asks how a user logs in. Needed if ``LoginConfiguration/federationType`` is ``FederationType/dynamicOpenID``.
  ///
  /// Source: Apple, Performing a preauthentication request.
  /// - Throws: ``PlatformSSOErrorCode/callerMisuse`` if the configuration asks for none.
  public func preauthenticationRequest(
    of user: UserLoginConfiguration
  ) throws(PlatformSSOError) -> DevicePreauthenticationRequest {
    guard configuration.federationType == .dynamicOpenID,
      let url = configuration.federationUserPreauthenticationURL, let uri = try? URIComponents(parsing: url)
    else {
      throw PlatformSSOError(
        .callerMisuse, "the configuration has no preauthentication", name: "federationUserPreauthenticationURL")
    }
    var fields = FormFields()
    fields.append("user", user.loginUserName)
    for value in configuration.customFederationUserPreauthenticationRequestValues {
      fields.append(value.name, value.value)
    }
    let clientRequestID = UUIDText.random()
    return DevicePreauthenticationRequest(
      httpRequest: HTTPRequestValue(
        method: "GET", url: uri.appendingQuery(fields),
        headers: .known(
          configuration.additionalHTTPHeaders.added(
            to: [("Accept", MediaType.json), ("client-request-id", clientRequestID)]))),
      clientRequestID: clientRequestID)
  }

  /// Reads the response: whether the user is federated, and where he logs in then.
  ///
  /// - Throws: ``PlatformSSOErrorCode/serverUnavailable`` if the status is not 200, ``PlatformSSOErrorCode/malformed`` if the body is no
  ///   JSON object, ``PlatformSSOErrorCode/claimMissing``, ``PlatformSSOErrorCode/claimInvalid`` and
  ///   ``PlatformSSOErrorCode/claimMismatch`` if its members are wrong, ``PlatformSSOErrorCode/callerMisuse`` without
  ///   ``LoginConfiguration/isFederated``.
  public func preauthentication(from response: HTTPResponseValue) throws(PlatformSSOError) -> Preauthentication {
    guard response.status == 200 else {
      throw PlatformSSOError(.serverUnavailable, "the preauthentication endpoint did not answer with status 200")
    }
    guard let isFederated = configuration.isFederated else {
      throw PlatformSSOError(.callerMisuse, "nothing says which users are federated", name: "isFederated")
    }
    let body = try MessageMembers(parsing: response.body, limits: limits)
    guard isFederated(body.object) else { return .notFederated }
    guard let value = body.object.value(atKeyPath: configuration.authorizationURLKeypath) else {
      throw body.missing("authorizationURL")
    }
    guard case .string(let url) = value, let uri = try? URIComponents(parsing: url), uri.hasScheme("https"),
      uri.host?.isEmpty == false, uri.userInfo == nil, uri.fragment == nil
    else { throw body.invalid("authorizationURL") }
    guard let parameters = body.object["authorizationRequest"] else {
      return .webAuthorization(WebAuthorizationEndpoint(url: url, parameters: nil))
    }
    guard case .object(let object) = parameters else { throw body.invalid("authorizationRequest") }
    return .webAuthorization(
      WebAuthorizationEndpoint(url: url, parameters: try AuthorizationParameters(MessageMembers(object))))
  }
}
