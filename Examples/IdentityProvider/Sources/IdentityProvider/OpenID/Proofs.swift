import JOSE
import NativeSSOKit
import OpenIDKit
import PureCrypto

/// Proofs of possession.
///
/// Source: RFC 9449.
extension Provider {
  /// What checks proofs, and notes them. A proof with a nonce must have one of this server's.
  var proofs: DPoPVerifier {
    get throws(JOSEError) {
      var proofs = DPoPVerifier(
        algorithms: Self.proofAlgorithms, clock: clock, records: database.records)
      let nonces = try DPoPNonces(secret: SecretBytes(copying: secrets.nonceKey))
      proofs.nonces = settings.requiresDPoPNonce ? .required(nonces) : .ifPresent(nonces)
      return proofs
    }
  }

  /// The proof of a request for tokens; nil if there is none.
  ///
  /// - Throws: `invalid_dpop_proof`, or `use_dpop_nonce` if it has none of this server's nonces.
  func proof(of request: HTTPRequestValue) async throws(OAuthErrorResponse) -> VerifiedDPoPProof? {
    do throws(JOSEError) {
      return try await proofs.verify(
        fields: request.headers.values("DPoP"), method: request.method, url: request.url)
    } catch {
      switch error.code {
      case .dpopNonceRequired: throw OAuthErrorResponse(.useDPoPNonce, "The proof needs a nonce of this server")
      case .replayStoreFull, .replayQuotaReached:
        throw OAuthErrorResponse(.temporarilyUnavailable, "The proof could not be noted", status: 503)
      default: throw OAuthErrorResponse(.invalidDPoPProof, "The proof of possession is not valid")
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
