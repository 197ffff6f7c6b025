import ArgumentParser
import Foundation
import IdentityProvider
import JOSE

/// What can be said of a client when it is added, and changed later.
struct ClientOptions: ParsableArguments {
  @Option(help: "Where browsers may be sent back to, in place of all before. May be given several times.")
  var redirect: [String] = []
  @Option(help: "Where browsers may be sent after a logout, in place of all before. May be given several times.")
  var postLogout: [String] = []
  @Option(help: "A file with the public keys of its assertions, as a JWK Set.") var jwks: String?
  @Option(help: "Where it is told that a user has logged out.") var backchannelLogout: String?
  @Option(help: "What signs its ID tokens: RS256 or ES256. Default for a new one: RS256.") var idTokenAlg: String?
  @Option(help: "The scopes that it may ask for, with spaces between them.") var scope: String?
  @Flag(inversion: .prefixedNo, help: "Its requests must be pushed.") var requirePar: Bool?
  @Flag(inversion: .prefixedNo, help: "Its tokens must be bound to a key.") var requireDpop: Bool?
  @Flag(inversion: .prefixedNo, help: "Its requests need a code challenge though it has a secret.")
  var requirePkce: Bool?
  @Flag(inversion: .prefixedNo, help: "Its users must have logged in by two factors.") var requireTwoFactors: Bool?
  @Flag(
    inversion: .prefixedNo, help: "Its assertions may name the token endpoint as audience, as older software does.")
  var tokenEndpointAudience: Bool?
  @Flag(inversion: .prefixedNo, help: "It may ask about the tokens of other clients.") var resourceServer: Bool?
  @Option(help: "The group with which it shares logins on a device, by Native SSO.") var nativeSsoGroup: String?

  /// Changes what is named, if the provider may have such a client.
  func apply(to client: inout Client, of provider: Provider) throws {
    if !redirect.isEmpty { client.redirectURIs = redirect }
    if !postLogout.isEmpty { client.postLogoutRedirectURIs = postLogout }
    if let jwks { client.keys = try JWKSet(parsing: Data(contentsOf: URL(fileURLWithPath: jwks))) }
    if let backchannelLogout { client.backChannelLogoutURI = backchannelLogout }
    if let idTokenAlg { client.idTokenAlgorithm = idTokenAlg }
    if let scope { client.scopes = scope.split(separator: " ").map(String.init) }
    if let requirePar { client.requiresPushedRequests = requirePar }
    if let requireDpop { client.requiresDPoP = requireDpop }
    if let requirePkce { client.requiresPKCE = requirePkce }
    if let requireTwoFactors { client.requiresTwoFactors = requireTwoFactors }
    if let tokenEndpointAudience { client.allowsTokenEndpointAudience = tokenEndpointAudience }
    if let resourceServer { client.isResourceServer = resourceServer }
    if let nativeSsoGroup { (client.nativeSSOGroup, client.isNativeSSOEnabled) = (nativeSsoGroup, true) }
    try ClientRules.check(client, provider.settings)
  }
}
