import PureCrypto

/// What one message has cost so far in operations with keys.
///
/// The most expensive one is free, for a message needs it; all others together stay within ``Limits/additionalWork``. So trying keys for
/// signatures and recipients, each of which a sender can multiply, adds up to a bounded sum instead of a product.
struct WorkBudget {
  private let limit: Int
  private let freeCount: Int
  /// The costs of the operations that are free so far: the greatest, and of more than one the others in no order. An array costs an allocation,
  /// which a token with a single signature is spared.
  private var greatest: Int?
  private var others: [Int] = []
  private var spent = 0

  /// - Parameter freeCount: how many operations the caller asked for: one, or one for each signature that must be there.
  init(_ limits: Limits, freeCount: Int = 1) {
    limit = limits.additionalWork
    self.freeCount = max(freeCount, 1)
  }

  /// Notes an operation that is about to be done.
  ///
  /// - Throws: ``JOSEErrorCode/limitExceeded`` if the message has cost enough.
  mutating func spend(_ cost: Int) throws(JOSEError) {
    guard let greatest else {
      self.greatest = cost
      return
    }
    var extra = min(cost, greatest)
    self.greatest = max(cost, greatest)
    if others.count < freeCount - 1 {
      others.append(extra)
      return
    }
    if let place = others.indices.min(by: { others[$0] < others[$1] }), others[place] < extra {
      swap(&extra, &others[place])
    }
    let (sum, overflow) = spent.addingReportingOverflow(extra)
    guard !overflow, sum <= limit else { throw Self.exhausted }
    spent = sum
  }

  static var exhausted: JOSEError {
    JOSEError(.limitExceeded, "too many keys, signatures or recipients would have to be tried", name: "additionalWork")
  }
}

/// Costs in units of about a microsecond, rounded up from what `bench` measures without hardware kernels.
private enum WorkCost {
  /// Hashing or decrypting: about 5 ns an octet.
  static func octets(_ count: Int) -> Int { count / 200 }

  /// The modulus in units of 256 bits: 8 to 32 by the limits of a key, so that the cubes below fit 32 bits.
  private static func size(_ key: AnyRSAPublicKey) -> Int { (key.bitCount + 255) / 256 }

  static func privateOperation(_ key: AnyRSAPublicKey) -> Int { size(key) * size(key) * size(key) * 2900 / 512 }
  static func publicOperation(_ key: AnyRSAPublicKey) -> Int { size(key) * size(key) / 2 }
}

extension VerificationKey {
  /// What it costs to verify one signature of so many octets of input.
  func work(byteCount: Int) -> Int {
    let operation =
      if case .publicKey(.rsa(let key)) = material {
        WorkCost.publicOperation(key)
      } else {
        algorithm.row.curve?.row.operationCost ?? 2
      }
    return operation + WorkCost.octets(byteCount)
  }
}

extension DecryptionKey {
  /// What it costs to open a message of so many octets.
  ///
  /// - Parameter iterationCount: `p2c`, as far as it is accepted.
  func work(byteCount: Int, iterationCount: Int) -> Int {
    let operation =
      switch material {
      case .direct, .wrapping: 10 + iterationCount
      case .privateKey(.rsa(let key)): WorkCost.privateOperation(key.publicKey)
      case .privateKey: (encryptionKey.curve ?? .p521).row.operationCost
      // Somebody else's time, and perhaps money.
      case .external: 3000
      }
    return operation + WorkCost.octets(byteCount)
  }
}
