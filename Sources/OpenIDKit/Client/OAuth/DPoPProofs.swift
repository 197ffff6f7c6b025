import JOSE
import StrictJSON
import Synchronization

/// Proofs of possession for one server, and the nonce that it wants in them.
///
/// Source: RFC 9449 §5, §8.
final class DPoPProofs: Sendable {
  private let key: SigningKey
  private let clock: WallClock
  private let nonce = Mutex<String?>(nil)

  init(key: SigningKey, clock: WallClock) {
    self.key = key
    self.clock = clock
  }

  /// - Parameter wanted: the nonce that the server has just asked for, if it has.
  func add(to request: inout HTTPRequestValue, nonce wanted: String?) throws {
    let nonce = nonce.withLock { $0 } ?? wanted
    try request.headers.set(
      "DPoP", try DPoP.proof(method: request.method, url: request.url, key: key, nonce: nonce, clock: clock))
  }

  /// A nonce may come with any answer, and is good for the next request.
  func keepNonce(of response: HTTPResponseValue) {
    guard let new = response.dpopNonce else { return }
    nonce.withLock { $0 = new }
  }
}

extension HTTPResponseValue {
  /// `DPoP-Nonce`: what the server wants in the next proof, of 1 to 1024 octets.
  ///
  /// Source: RFC 9449 §8.1.
  var dpopNonce: String? {
    headers.values("DPoP-Nonce").first.flatMap { (1...1024).contains($0.utf8.count) ? $0 : nil }
  }
}
