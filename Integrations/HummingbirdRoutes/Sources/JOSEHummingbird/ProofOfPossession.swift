public import JOSE

/// Whether access tokens may or must be bound to a key. Each request with a bound token needs a proof of the key (DPoP,
/// RFC 9449).
public enum ProofOfPossession: Sendable {
  /// They must not: only bearer tokens are accepted. A bound token without its proof is refused.
  case refused
  /// They may: both schemes are accepted.
  ///
  /// - `proofs` has the rules for a proof, and the store of used ones.
  /// - `baseURL` is the server's address for clients, without the path, such as `https://api.example.com`.
  case accepted(DPoPVerifier, baseURL: String)
  /// They must: a bearer token is refused. The values are those of ``accepted(_:baseURL:)``.
  case required(DPoPVerifier, baseURL: String)

  var verifier: DPoPVerifier? {
    switch self {
    case .refused: nil
    case .accepted(let verifier, _), .required(let verifier, _): verifier
    }
  }

  var schemes: [AccessToken.Scheme] {
    switch self {
    case .refused: [.bearer]
    case .accepted: [.bearer, .dpop]
    case .required: [.dpop]
    }
  }
}
