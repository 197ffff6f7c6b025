import JOSE
import StrictJSON

/// The order of claims in requests captured from macOS 14.4. Receivers must not care.
enum CapturedOrder {
  /// The claims with `jwe_crypto` first and `iat` last. Claims that captured requests lack follow.
  ///
  /// - Parameter serverNonceName: the claim that carries the server nonce, whose place is that of `request_nonce`.
  static func applied(to claims: JSONObject, serverNonceName: String) -> JSONObject {
    var first: [(String, JSONValue)] = []
    for name in names.wireNames {
      let name = name == "request_nonce" ? WireName(serverNonceName) : name
      guard let value = claims[name.text] else { continue }
      first.append((name.text, name == JWECryptoParameters.claimName ? Self.crypto(value) : value))
    }
    let known = first.map { WireName($0.0) }
    let rest = claims.members.filter { !known.contains($0.name) }.map { ($0.name, $0.value) }
    return JSONObject(first + rest)
  }

  /// `alg`, `enc`, `apv`.
  private static func crypto(_ value: JSONValue) -> JSONValue {
    guard case .object(let object) = value else { return value }
    return .object(JSONObject(["alg", "enc", "apv"].compactMap { name in object[name].map { (name, $0) } }))
  }

  private static let names = [
    JWECryptoParameters.claimName, "exp", "request_type", "nonce", "version", "request_nonce", "scope", "grant_type",
    "other_publickey", "refresh_token", "key_context", "iss", "key_purpose", "password", "sub", "amr", "claims", "aud",
    "username", "client_id", "iat",
  ]
}
