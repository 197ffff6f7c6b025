import JOSE
import NativeSSOKit
import OpenIDKit
import PureCrypto

/// Proofs of possession.
///
/// Source: RFC 9449.
extension Provider {
  /// Checks proofs, and stores them as used. A nonce in a proof must be one of this server's.
  var proofs: DPoPVerifier {
    get throws(JOSEError) {
      var proofs = DPoPVerifier(
        algorithms: Self.proofAlgorithms, clock: clock, records: database.records)
      let nonces = try DPoPNonces(secret: SecretBytes(copying: secrets.nonceKey))
      proofs.nonces = settings.requiresDPoPNonce ? .required(nonces) : .ifPresent(nonces)
      return proofs
    }
  }

  /// The proof of a token request; nil if it has no proof.
  ///
  /// - Throws: `invalid_dpop_proof`, or `use_dpop_nonce` if it lacks a nonce of this server.
  func proof(of request: HTTPRequestValue) async throws(OAuthErrorResponse) -> VerifiedDPoPProof? {
    do throws(JOSEError) {
      return try await proofs.verify(
        fields: request.headers.values("DPoP"), method: request.method, url: request.url)
    } catch {
      switch error.code {
      case .dpopNonceRequired:
        throw OAuthErrorResponse(.useDPoPNonce, "The proof must contain the nonce from the DPoP-Nonce header")
      case .replayStoreFull, .replayQuotaReached:
        throw OAuthErrorResponse(
          .temporarilyUnavailable, "The proof could not be stored; try again", status: 503,
          retryAfter: .seconds(1))
      default: throw OAuthErrorResponse(.invalidDPoPProof, "The DPoP proof is invalid")
      }
    }
  }

  /// An answer with the nonce for the next proof.
  func withNonce(_ response: HTTPResponseValue) -> HTTPResponseValue {
    guard let nonce = try? proofs.currentNonce else { return response }
    var response = response
    try? response.headers.set("DPoP-Nonce", nonce)
    return response
  }
}
