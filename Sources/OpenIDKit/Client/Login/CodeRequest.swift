import JOSE
import PureCrypto

/// The parameters of a client's request for an authorization code, by which its answer and the ID token are recognised.
///
/// Source: RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core 1.0 §3.1.2.1.
package struct CodeRequest: Sendable {
  /// `state`: sent with the request, and compared with that of the answer.
  package let state: String
  /// `nonce`: sent with the request, and compared with that of the ID token.
  package let nonce: String
  /// The proof that the code is redeemed by the client that asked for it.
  package let pkce: PKCE

  /// A request with values given.
  package init(state: String, nonce: String, pkce: PKCE) {
    (self.state, self.nonce, self.pkce) = (state, nonce, pkce)
  }

  /// A request with fresh values.
  package init() { self.init(state: Self.fresh(), nonce: Self.fresh(), pkce: PKCE()) }

  /// 256 random bits.
  private static func fresh() -> String { Base64URL.encode(SystemRandom.bytes(count: 32)) }

  /// The parameter that further ones would replace.
  package struct Replaced: Error {
    package let name: String
  }

  /// What is sent.
  ///
  /// - Parameters:
  ///   - clientID: the client.
  ///   - redirectURI: where the answer goes.
  ///   - scopes: what is asked for.
  ///   - others: parameters beside these.
  ///   - additional: parameters from elsewhere. They can't replace the others.
  ///   - reserved: names that they can't have either.
  package func parameters(
    clientID: String, redirectURI: String, scopes: [String], others: FormFields = [:], additional: FormFields,
    reserved: [WireName] = []
  ) throws(Replaced) -> FormFields {
    var parameters: FormFields = ["response_type": "code", "client_id": clientID, "redirect_uri": redirectURI]
    if !scopes.isEmpty { parameters.append("scope", scopes.joined(separator: " ")) }
    parameters.append("state", state)
    // Plain OAuth has no ID token that could repeat it.
    if scopes.wireNames.contains("openid") { parameters.append("nonce", nonce) }
    parameters.append("code_challenge", pkce.challenge)
    parameters.append("code_challenge_method", "S256")
    for field in others.fields { parameters.append(field.name, field.value) }
    let names = parameters.fields.map { WireName($0.name) } + reserved
    for field in additional.fields {
      guard !names.contains(field.name) else { throw Replaced(name: field.name) }
      parameters.append(field.name, field.value)
    }
    return parameters
  }
}
