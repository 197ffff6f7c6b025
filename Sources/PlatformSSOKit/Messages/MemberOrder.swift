import JOSE
import StrictJSON

/// In which order the claims of a device's requests stand. Receivers must not care.
public enum MemberOrder: Sendable, Hashable {
  /// As in Apple's tables and samples.
  case documented
  /// As in requests captured from macOS 14.4, in which `jwe_crypto` comes first and `iat` last. Claims that those
  /// requests lack follow.
  case captured

  /// The claims in this order.
  ///
  /// - Parameter serverNonceName: the claim that carries the server nonce, whose place is that of `request_nonce`.
  func applied(to claims: JSONObject, serverNonceName: String) -> JSONObject {
    guard self == .captured else { return claims }
    var first: [(String, JSONValue)] = []
    for name in Self.capturedNames {
      let name = name == "request_nonce" ? serverNonceName : name
      guard let value = claims[name] else { continue }
      first.append((name, name == JWECryptoParameters.claimName ? Self.crypto(value) : value))
    }
    let names = first.map(\.0)
    let rest = claims.members.filter { !names.containsBytes(of: $0.name) }.map { ($0.name, $0.value) }
    return JSONObject(first + rest)
  }

  /// `alg`, `enc`, `apv`.
  private static func crypto(_ value: JSONValue) -> JSONValue {
    guard case .object(let object) = value else { return value }
    return .object(JSONObject(["alg", "enc", "apv"].compactMap { name in object[name].map { (name, $0) } }))
  }

  private static let capturedNames = [
    JWECryptoParameters.claimName, "exp", "request_type", "nonce", "version", "request_nonce", "scope", "grant_type",
    "other_publickey", "refresh_token", "key_context", "iss", "key_purpose", "password", "sub", "amr", "claims", "aud",
    "username", "client_id", "iat",
  ]
}
