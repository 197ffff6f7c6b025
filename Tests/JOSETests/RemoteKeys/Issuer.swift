import JOSE
import Synchronization

@testable import JOSE

/// An issuer with a clock and a counter of requests.
final class Issuer: Sendable {
  struct State: Sendable {
    var now: Double = 1_700_000_000
    var requests = 0
    var keys: [JWK] = []
    /// Lines of `Cache-Control`.
    var cacheControl: [String] = []
    var age: String?
    var entityTag: String?
    /// What requests had in `If-None-Match`.
    var asked: [String?] = []
    var status = 200
    var isReachable = true
    var gates: [CheckedContinuation<Void, Never>] = []
    var isGated = false
  }

  struct Unreachable: Error {}

  let state: Mutex<State>

  /// - Parameter change: what else is to be so from the beginning.
  init(_ keys: JWK..., change: (inout State) -> Void = { _ in }) {
    var state = State()
    state.keys = keys
    change(&state)
    self.state = Mutex(state)
  }

  var clock: WallClock {
    WallClock { NumericDate(secondsSince1970: self.state.withLock { $0.now }) ?? NumericDate(0) }
  }

  var requests: Int { state.withLock { $0.requests } }

  func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

  func set(_ policy: RemoteKeySetPolicy = .patient) -> RemoteKeySet {
    RemoteKeySet(url: "https://idp.example.com/jwks", policy: policy, clock: clock) { try await self.answer($0) }
  }

  /// A set that has the keys of now.
  func fetchedSet(_ policy: RemoteKeySetPolicy = .patient) async throws -> RemoteKeySet {
    let set = set(policy)
    _ = try await set.keys()
    return set
  }

  func answer(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
    let asked = try request.headers.uniqueValue("If-None-Match")
    let state = state.withLock { state in
      state.requests += 1
      state.asked.append(asked)
      return state
    }
    if state.isGated {
      await withCheckedContinuation { continuation in self.state.withLock { $0.gates.append(continuation) } }
    }
    guard state.isReachable else { throw Unreachable() }
    var headers = HTTPHeaderFields()
    for line in state.cacheControl { try headers.append("cache-control", line) }
    if let age = state.age { try headers.append("Age", age) }
    if let tag = state.entityTag { try headers.append("ETag", tag) }
    if let asked, asked == state.entityTag { return HTTPResponseValue(status: 304, headers: headers) }
    return HTTPResponseValue(status: state.status, headers: headers, body: JWKSet(state.keys).serialized())
  }

  /// Waits until a request waits for its answer.
  func held() async {
    while state.withLock({ $0.gates.isEmpty }) { await Task.yield() }
  }

  /// Waits until so many requests have been made.
  func requested(_ count: Int) async {
    while requests < count { await Task.yield() }
  }

  func open() {
    let gates = state.withLock { state in
      defer { state.gates = [] }
      state.isGated = false
      return state.gates
    }
    for gate in gates { gate.resume() }
  }
}

extension RemoteKeySetPolicy {
  /// The default, with time enough for an answer on a machine that runs all tests at once.
  static var patient: Self {
    var policy = Self.default
    policy.timeLimit = .seconds(3600)
    return policy
  }
}
