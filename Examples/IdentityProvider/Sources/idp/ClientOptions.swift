import ArgumentParser
import Foundation
import IdentityProvider
import JOSE

/// Options for adding and for changing a client.
struct ClientOptions: ParsableArguments {
  @Option(help: "A redirect URI; replaces all previous ones. May be given several times.")
  var redirect: [String] = []
  @Option(help: "A redirect URI after logout; replaces all previous ones. May be given several times.")
  var postLogout: [String] = []
  @Option(help: "A JWK Set file with the public keys of its client assertions.") var jwks: String?
  @Option(help: "The URI that receives logout tokens.") var backchannelLogout: String?
  @Option(help: "The algorithm of its ID tokens: RS256 or ES256. Default for a new client: RS256.")
  var idTokenAlg: String?
  @Option(help: "The scopes that it may request, separated by spaces.") var scope: String?
  @Option(help: "The scopes that it may have for itself, without a user, separated by spaces.")
  var machineScope: String?
  @Option(help: "A resource that its tokens may be for; replaces all previous ones. May be given several times.")
  var resource: [String] = []
  @Flag(inversion: .prefixedNo, help: "Require pushed authorization requests.") var requirePar: Bool?
  @Flag(inversion: .prefixedNo, help: "Require tokens that are bound to a key.") var requireDpop: Bool?
  @Flag(inversion: .prefixedNo, help: "Require a code challenge even though the client has a secret.")
  var requirePkce: Bool?
  @Flag(inversion: .prefixedNo, help: "Require a login with two factors.") var requireTwoFactors: Bool?
  @Flag(
    inversion: .prefixedNo, help: "Allow assertions with the token endpoint as audience, as older software sends them.")
  var tokenEndpointAudience: Bool?
  @Flag(inversion: .prefixedNo, help: "Let its users log in on another device: it runs where there is no browser.")
  var device: Bool?
  @Flag(inversion: .prefixedNo, help: "Let it introspect the tokens of other clients.") var resourceServer: Bool?
  @Option(help: "The group of clients that share logins on a device, by Native SSO.") var nativeSsoGroup: String?

  /// Applies the options that were given, if the client rules allow the result.
  func apply(to client: inout Client, of provider: Provider) throws {
    if !redirect.isEmpty { client.redirectURIs = redirect }
    if !postLogout.isEmpty { client.postLogoutRedirectURIs = postLogout }
    if let jwks { client.keys = try JWKSet(parsing: Data(contentsOf: URL(fileURLWithPath: jwks))) }
    if let backchannelLogout { client.backChannelLogoutURI = backchannelLogout }
    if let idTokenAlg { client.idTokenAlgorithm = idTokenAlg }
    if let scope { client.scopes = scope.split(separator: " ").map(String.init) }
    if let machineScope { client.machineScopes = machineScope.split(separator: " ").map(String.init) }
    if !resource.isEmpty { client.resources = resource }
    if let requirePar { client.requiresPushedRequests = requirePar }
    if let requireDpop { client.requiresDPoP = requireDpop }
    if let requirePkce { client.requiresPKCE = requirePkce }
    if let requireTwoFactors { client.requiresTwoFactors = requireTwoFactors }
    if let tokenEndpointAudience { client.allowsTokenEndpointAudience = tokenEndpointAudience }
    if let device { client.isDevice = device }
    if let resourceServer { client.isResourceServer = resourceServer }
    if let nativeSsoGroup { (client.nativeSSOGroup, client.isNativeSSOEnabled) = (nativeSsoGroup, true) }
    try ClientRules.check(client, provider.settings)
  }
}
