public import JOSE

/// Whether access tokens may or must be bound to a key, of which each request brings a proof (DPoP, RFC 9449).
public enum ProofOfPossession: Sendable {
  /// They may not: only bearer tokens are taken. A bound token without its proof is refused.
  case refused
  /// They may: both schemes are taken.
  ///
  /// - `proofs` says what is required of a proof, and where used ones are noted.
  /// - `baseURL` is what stands before the path in clients' eyes, such as `https://api.example.com`.
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
