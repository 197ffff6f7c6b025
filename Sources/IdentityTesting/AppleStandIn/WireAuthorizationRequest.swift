import JOSE
import AppleSignInKit
import StrictJSON

/// An authorization request as a browser brought it, checked by all rules.
struct WireAuthorizationRequest: Sendable {
  var client: AppleStandInClient
  var redirectURI: AppleRedirectURI
  var responseType: AppleResponseType
  var responseMode: AppleResponseMode
  var scopes: Set<AppleScope>
  var state: String?
  var nonce: String?

  /// Whether an error may be told to the website: never before its address has been checked.
  static func isBeforeRedirect(_ error: JOSEError) -> Bool {
    error.name == "client_id" || error.name == "redirect_uri" || error.name == nil
  }

  /// Checks client and address first, then type, mode, scopes, their combination, and the opaque values.
  init(url: String, clients: [AppleStandInClient]) throws(JOSEError) {
    let query = url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
    let fields = try FormBody.parse(query, limit: 16 * 1024)
    guard let clientID = fields["client_id"] else {
      throw JOSEError(.fieldMissing, "the request names no client", name: "client_id")
    }
    try AppleClientID.requireValid(clientID, teamID: nil)
    guard let client = clients.first(where: { $0.isCalled(clientID) }) else {
      throw JOSEError(.fieldInvalid, "the client is not registered", name: "client_id")
    }
    guard let address = fields["redirect_uri"] else {
      throw JOSEError(.fieldMissing, "the request has no redirect URI", name: "redirect_uri")
    }
    let redirectURI = try AppleRedirectURI(address)
    guard client.redirectURIs.contains(redirectURI) else {
      throw JOSEError(.redirectURINotRegistered, "the redirect URI is not registered", name: "redirect_uri")
    }
    self.client = client
    self.redirectURI = redirectURI
    responseType = try AppleResponseType.parse(fields["response_type"])
    let mode = try AppleResponseMode.parse(fields["response_mode"])
    scopes = try AppleScope.parse(fields["scope"] ?? "")
    responseMode = mode ?? .default(for: responseType)
    try responseMode.requireAllowed(for: responseType, scopes: scopes)
    state = fields["state"]
    nonce = fields["nonce"]
    if let state { try AppleAuthorizationRequest.requireValid(state: state) }
    if let nonce, !nonce.isVisibleASCII(upTo: 512) {
      throw JOSEError(.nonceInvalid, "the nonce is not 1 to 512 visible characters", name: "nonce")
    }
  }
}
