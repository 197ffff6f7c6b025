import PureJOSEBenchmarking

/// The same work done by PureJOSE and by a peer.
///
/// Both sides get the same input and the public API that a user would choose for the purpose. Whoever makes a
/// comparison has checked before that both results are right.
struct Comparison {
  let name: String
  /// The other library.
  let peer: String
  let ours: Workload
  let theirs: Workload

  init<Ours, Theirs>(
    _ name: String, peer: String = "swift-crypto", byteCount: Int? = nil, operationsPerCall: Int = 1,
    ours: @escaping () throws -> Ours, theirs: @escaping () throws -> Theirs
  ) {
    self.name = name
    self.peer = peer
    self.ours = Workload(name, byteCount: byteCount, operationsPerCall: operationsPerCall, ours)
    self.theirs = Workload(name, byteCount: byteCount, operationsPerCall: operationsPerCall, theirs)
  }

  /// A peer that has to be awaited.
  init<Ours, Theirs>(
    _ name: String, peer: String, ours: @escaping () throws -> Ours,
    awaitingTheirs theirs: @escaping () async throws -> Theirs
  ) {
    self.name = name
    self.peer = peer
    self.ours = Workload(name, ours)
    self.theirs = Workload(asynchronous: name, theirs)
  }

  /// All of them, from the bottom of the package to the top.
  static func all() async throws -> [Comparison] {
    var comparisons = try SHA2Comparisons.all() + SHA3Comparisons.all() + HMACComparisons.all()
    comparisons += try AESGCMComparisons.all() + ChaChaPolyComparisons.all()
    comparisons += try P256Comparisons.all()
    comparisons += try RSAComparisons.all()
    comparisons += try Curve25519Comparisons.all()
    comparisons += try PrimeCurveComparisons.all()
    comparisons += try MLDSAComparisons.all() + KEMComparisons.all() + HPKEComparisons.all()
    comparisons += try Base64URLComparisons.all()
    comparisons += try JSONComparisons.all()
    comparisons += try await JWTComparisons.all()
    comparisons += try JWEComparisons.all()
    return comparisons
  }
}

/// The two sides of a comparison don't agree on the result, so comparing their speed makes no sense.
struct Disagreement: Error, CustomStringConvertible {
  let description: String

  init(_ operation: String) {
    self.description = "\(operation): the two sides disagree"
  }
}
