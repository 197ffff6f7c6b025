import Foundation
import JOSE

/// The rules for a client, whether a page or a command registers it.
///
/// Source: RFC 9700 §2.1, §4.1.3; OpenID Connect Dynamic Client Registration 1.0 §2.
package enum ClientRules {
  /// - Parameter settings: tell whether it may be in a private network.
  package static func check(_ client: Client, _ settings: ProviderSettings) throws(RuleRefusal) {
    guard !client.name.isEmpty, client.name.utf8.count <= 200,
      !client.name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
    else { throw RuleRefusal(description: "A client must have a name of at most 200 octets.") }
    guard !client.redirectURIs.isEmpty || client.isResourceServer || client.isDevice || client.machineScopes != nil
    else {
      throw RuleRefusal(description: "A client that users log in to in a browser must have a redirect URI.")
    }
    for address in client.redirectURIs + client.postLogoutRedirectURIs where !isAcceptable(address) {
      throw RuleRefusal(
        description: "A redirect URI must be absolute and without fragment; http is allowed for this machine only.")
    }
    if let address = client.backChannelLogoutURI {
      guard PlainHTTP.refused.permits(address) else {
        throw RuleRefusal(description: "The back channel for logouts must be an https URI.")
      }
      guard settings.allowsPrivateAddresses || !PrivateAddress.contains(URL(string: address)?.host ?? "") else {
        throw RuleRefusal(
          description:
            "The back channel for logouts must have a public address, unless IDP_PRIVATE_ADDRESSES_ALLOWED is true.")
      }
    }
    guard client.resources.allSatisfy(PlainHTTP.loopback.permits) else {
      throw RuleRefusal(
        description: "A resource must be an https URI without fragment; http is allowed for this machine only.")
    }
    if let scopes = client.machineScopes {
      guard !client.isPublic, !client.resources.isEmpty, !scopes.isEmpty else {
        throw RuleRefusal(
          description:
            "A client that gets tokens for itself must authenticate, and have a scope and a resource for them.")
      }
    }
    guard client.authentication != .privateKeyJWT || client.keys != nil else {
      throw RuleRefusal(description: "private_key_jwt needs the client's keys: give them as a JWK Set.")
    }
    if let keys = client.keys { try check(keys) }
    guard KeyRing.algorithms.map(\.name).contains(client.idTokenAlgorithm) else {
      throw RuleRefusal(description: "The algorithm of ID tokens must be RS256 or ES256.")
    }
  }

  /// The keys of a client's assertions: public ones, and one at least that can be used. A symmetric one would be known
  /// to each reader of the database, and a private one is the client's own.
  private static func check(_ keys: JWKSet) throws(RuleRefusal) {
    guard !keys.keys.contains(where: { $0.keyType == .oct }) else {
      throw RuleRefusal(description: "The client's JWK Set has a symmetric key: give the public keys of a pair.")
    }
    guard !keys.keys.contains(where: \.isPrivate) else {
      throw RuleRefusal(description: "The client's JWK Set has a private key, which only the client may have.")
    }
    guard keys.keys.contains(where: { key in ClientRepository.assertionAlgorithms.contains(where: key.isFor) }) else {
      throw RuleRefusal(description: "The client's JWK Set has no key for ES256, RS256, PS256 or Ed25519.")
    }
  }

  /// https, an app's own scheme, or http to the machine that the browser runs on.
  private static func isAcceptable(_ address: String) -> Bool {
    guard address.utf8.count <= 2000, address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !address.contains("#"),
      let parts = URLComponents(string: address), let scheme = parts.scheme?.lowercased()
    else { return false }
    switch scheme {
    case "https", "http": return PlainHTTP.loopback.permits(address)
    // Schemes that a browser would run or show by itself.
    case "javascript", "data", "file", "blob", "about", "vbscript", "ws", "wss", "ftp": return false
    default: return scheme.contains(".")
    }
  }
}

extension JWK {
  /// Whether a signature by an algorithm can be verified with it.
  fileprivate func isFor(_ algorithm: SignatureAlgorithm) -> Bool {
    (try? VerificationKey(self, algorithm: algorithm)) != nil
  }
}
