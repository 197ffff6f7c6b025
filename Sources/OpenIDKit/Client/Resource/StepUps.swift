import JOSE
import StrictJSON
import Synchronization

/// How often each address has asked for more scopes than a token had: a server that never has enough is not obeyed for
/// ever.
final class StepUps: Sendable {
  private let counts = Mutex<[(address: WireName, count: Int)]>([])

  private static let maximumCount = 3
  private static let capacity = 256

  /// Counts one more; false if there were enough.
  func note(_ address: WireName) -> Bool {
    counts.withLock { counts in
      let count = counts.first { $0.address == address }?.count ?? 0
      guard count < Self.maximumCount else { return false }
      counts.removeAll { $0.address == address }
      counts.insert((address, count + 1), at: 0)
      if counts.count > Self.capacity { counts.removeLast() }
      return true
    }
  }
}

extension ResourceClient {
  /// What was asked for before, which a new login asks for again: its tokens replace the others.
  ///
  /// - Throws: `ErrorCode.configuration` where a new login would bring nothing new.
  func earlierScopes(
    of login: ResourceLogin?, _ refusal: Refusal, at resource: ProtectedResource, _ request: HTTPRequestValue
  ) throws(OpenIDError) -> [String] {
    let name = WireName(resource.resource)
    guard let login, name == login.resource else {
      if refusal.isForScope { try note(request) }
      return []
    }
    guard refusal.isForScope else { return login.scopes }
    let asked = login.scopes.wireNames
    guard let scopes = refusal.scopes, scopes.contains(where: { !asked.contains($0) }) else {
      throw Self.insufficient
    }
    try note(request)
    return login.scopes
  }

  private func note(_ request: HTTPRequestValue) throws(OpenIDError) {
    let place = request.url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard steps.note(WireName("\(request.method) \(Substring(place))")) else { throw Self.insufficient }
  }

  private static var insufficient: OpenIDError {
    OpenIDError(.configuration, "the server wants more scopes than a login brings", name: "insufficient_scope")
  }
}
