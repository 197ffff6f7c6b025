import JOSE
import JOSEHTTP
import NativeSSO
import PureCrypto

/// Nonces for proofs of possession. They are not kept: each says by itself in which five minutes it was made.
///
/// Source: RFC 9449 §8.
struct ProofNonces: Sendable {
  let key: [UInt8]
  let clock: WallClock

  private static let window = 300

  var current: String { nonce(window: clock.now.wholeSeconds / Self.window) }

  /// Whether a nonce was made in these or the last five minutes.
  func isGood(_ nonce: String) -> Bool {
    let window = clock.now.wholeSeconds / Self.window
    return [window, window - 1].contains { ConstantTime.equal(self.nonce(window: $0).utf8, nonce.utf8) }
  }

  private func nonce(window: Int) -> String {
    Base64URL.encode(HMACSHA256.authenticate(Array("proof \(window)".utf8), key: key))
  }
}

extension Provider {
  var proofNonces: ProofNonces { ProofNonces(key: secrets.nonceKey, clock: clock) }

  /// What checks proofs, and notes them.
  var proofs: DPoPVerifier {
    DPoPVerifier(
      algorithms: Self.proofAlgorithms, clock: clock, replayStore: database.dpopProofs())
  }

  /// The proof of a request for tokens; nil if there is none.
  ///
  /// - Throws: `invalid_dpop_proof`, or `use_dpop_nonce` if it has none of this server's nonces.
  func proof(of request: HTTPRequestValue) async throws(OAuthErrorResponse) -> VerifiedDPoPProof? {
    let fields = request.headers.values("DPoP")
    guard let text = fields.first else { return nil }
    let refused = OAuthErrorResponse(.invalidDPoPProof, "The proof of possession is not valid")
    guard fields.count == 1 else { throw refused }
    let nonce = Self.unverifiedNonce(of: text)
    if settings.requiresDPoPNonce || nonce != nil {
      guard let nonce, proofNonces.isGood(nonce) else {
        throw OAuthErrorResponse(.useDPoPNonce, "The proof needs a nonce of this server")
      }
    }
    do throws(JOSEError) {
      return try await proofs.verify(text, method: request.method, url: request.url, binding: .none, nonce: nonce)
    } catch {
      if error.code == .replayStoreFull {
        throw OAuthErrorResponse(.temporarilyUnavailable, "The proof could not be noted", status: 503)
      }
      throw refused
    }
  }

  /// The nonce that a proof says it has. It counts once the proof is verified with it.
  static func unverifiedNonce(of proof: String) -> String? {
    guard let payload = (try? UnverifiedToken(parsing: proof))?.unverifiedPayload, payload.count <= 8192,
      let claims = try? JSONObject(parsing: payload)
    else { return nil }
    return claims["nonce"]?.stringValue
  }

  /// An answer that brings the next nonce to a client that uses them.
  func withNonce(_ response: HTTPResponseValue, _ proof: VerifiedDPoPProof?) -> HTTPResponseValue {
    guard proof != nil else { return response }
    var response = response
    try? response.headers.set("DPoP-Nonce", proofNonces.current)
    return response
  }
}
