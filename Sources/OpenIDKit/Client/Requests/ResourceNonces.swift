import JOSE
import StrictJSON
import Synchronization

/// The latest nonce of each resource server, for proofs of possession.
///
/// Source: RFC 9449 §9.
final class ResourceNonces: Sendable {
  private let nonces = Mutex<[(origin: WireName, nonce: String)]>([])

  /// More servers than this are not asked at once.
  private static let capacity = 64

  func nonce(of origin: WireName) -> String? {
    nonces.withLock { $0.first { $0.origin == origin }?.nonce }
  }

  /// Keeps the nonce that came with an answer, if one did, and returns it.
  func keep(of response: HTTPResponseValue, from origin: WireName) -> String? {
    guard let new = response.dpopNonce else { return nil }
    nonces.withLock { nonces in
      nonces.removeAll { $0.origin == origin }
      nonces.insert((origin, new), at: 0)
      if nonces.count > Self.capacity { nonces.removeLast() }
    }
    return new
  }
}
