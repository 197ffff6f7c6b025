import PureCrypto
import JOSE
import StrictJSON

/// A request that the user be logged out at the provider, which the browser carries.
///
/// Source: OpenID Connect RP-Initiated Logout 1.0 §2.
public struct LogoutRequest: Sendable {
  /// `id_token_hint`: an ID token of the login that ends; it may have expired.
  public var idTokenHint: String?
  /// `logout_hint`: who is meant, as the provider understands it.
  public var logoutHint: String?
  /// `client_id`: the client that asks, where the request has no ID token that names it.
  public var clientID: String?
  /// `post_logout_redirect_uri`: where the browser goes afterwards, registered for the client.
  public var postLogoutRedirectURI: String?
  /// `state`: comes back with that redirect.
  public var state: String?
  /// `ui_locales`: languages, the preferred one first.
  public var uiLocales: [String]

  /// A request of these parameters. Those that are nil or empty are left out.
  public init(
    idTokenHint: String? = nil, logoutHint: String? = nil, clientID: String? = nil,
    postLogoutRedirectURI: String? = nil, state: String? = nil, uiLocales: [String] = []
  ) {
    (self.idTokenHint, self.logoutHint, self.clientID) = (idTokenHint, logoutHint, clientID)
    (self.postLogoutRedirectURI, self.state, self.uiLocales) = (postLogoutRedirectURI, state, uiLocales)
  }

  // MARK: The client's side

  /// Where to send the browser.
  ///
  /// - Parameters:
  ///   - endSessionEndpoint: ``OpenIDProviderMetadata/endSessionEndpoint``, an absolute address by `https`.
  ///   - plainHTTP: whether the endpoint may be on this machine, without TLS.
  /// - Throws: `ErrorCode.settingInvalid` for another endpoint.
  public func url(
    of endSessionEndpoint: String, plainHTTP: PlainHTTP = .refused
  ) throws(OpenIDError) -> String {
    guard let endpoint = try? URIComponents(parsing: endSessionEndpoint), plainHTTP.permits(endpoint) else {
      throw OpenIDError(
        .settingInvalid, "the endpoint is not an absolute https address", name: "end_session_endpoint")
    }
    let form = form
    return form.fields.isEmpty ? endSessionEndpoint : endpoint.appendingQuery(form)
  }

  /// The form to post instead, which keeps the ID token out of addresses and logs.
  public var form: FormFields {
    var form = FormFields()
    let fields = [
      ("id_token_hint", idTokenHint), ("logout_hint", logoutHint), ("client_id", clientID),
      ("post_logout_redirect_uri", postLogoutRedirectURI), ("state", state),
      ("ui_locales", uiLocales.isEmpty ? nil : uiLocales.joined(separator: " ")),
    ]
    for case (let name, let value?) in fields { form.append(name, value) }
    return form
  }

  /// Whether a redirect is the answer to this request: to the registered address, with its `state`. Of the address,
  /// what browsers write in their own way doesn't matter: case of scheme and host, the default port, an empty path.
  public func isAnswered(by redirect: String) -> Bool {
    guard let address = postLogoutRedirectURI else { return false }
    guard let state else { return URIComponents.isSame(redirect, asBrowsersWrite: address) }
    guard let query = URIComponents.appendedQuery(of: redirect, to: address),
      let fields = try? FormFields(parameters: ["state"], in: query.utf8), fields.hasUniqueNames()
    else { return false }
    return fields.values("state").wireNames == [WireName(state)]
  }

  // MARK: The provider's side

  /// Reads a request as the browser brought it: a GET with a query, or a POST of a form.
  ///
  /// - Throws: `ErrorCode.invalidRequest`, with the parameter's name if one is wrong: show a page,
  ///   redirect nowhere.
  public init(_ request: HTTPRequestValue) throws(OpenIDError) {
    let form = try OAuthEndpoint.parameters(of: request, Self.names)
    guard form.hasUniqueNames() else {
      throw OpenIDError(.invalidRequest, "a logout request must be a query or form without duplicate fields")
    }
    func value(_ name: String, _ limit: Int) throws(OpenIDError) -> String? {
      guard let value = form.values(name).first else { return nil }
      guard value.utf8.count <= limit else {
        throw OpenIDError(.invalidRequest, "a parameter is too long", name: name)
      }
      return value
    }
    idTokenHint = try value("id_token_hint", 16 * 1024)
    logoutHint = try value("logout_hint", 1024)
    clientID = try value("client_id", 1024)
    postLogoutRedirectURI = try value("post_logout_redirect_uri", 2048)
    state = try value("state", 2048)
    uiLocales = try value("ui_locales", 1024)?.words ?? []
  }

  private static let names: [WireName] = [
    "id_token_hint", "logout_hint", "client_id", "post_logout_redirect_uri", "state", "ui_locales",
  ]
}

extension LogoutRequest: Redacted {}
