import PureCrypto

/// What one message has cost so far in operations with keys.
///
/// Some of the most expensive ones are free, for a message needs them; all others together stay within
/// ``Limits/additionalWork``, or two operations as expensive as the most expensive one if that is more. So trying keys
/// for signatures and recipients, each of which a sender can multiply, adds up to a bounded sum instead of a product.
struct WorkBudget {
  private let limit: Int
  private var spentOnOperations = 0
  private var spentOnPasses = 0
  private var operations: FreeShare
  private var passes: FreeShare

  /// - Parameters:
  ///   - operationCount: how many operations are free: one, or one for each signature that must be there.
  ///   - passCount: how many times the work on the message is free that grows with what its sender writes.
  init(_ limits: Limits, freeOperationCount operationCount: Int = 1, freePassCount passCount: Int = 1) {
    limit = limits.additionalWork
    operations = FreeShare(count: operationCount)
    passes = FreeShare(count: passCount)
  }

  /// Notes an attempt that is about to be made.
  ///
  /// - Throws: ``ErrorCode/limitExceeded`` if the message has cost enough.
  mutating func spend(_ work: Work) throws(JOSEError) {
    // Each is a cost of one attempt, far below half of an Int, and a sum past the limits is not kept.
    let onOperations = spentOnOperations &+ operations.charge(work.operation)
    let onPasses = spentOnPasses &+ passes.charge(work.pass)
    let limit = max(limit, 0)
    guard onPasses <= limit, onOperations <= max(limit &- onPasses, 2 &* operations.greatestCost) else {
      throw Self.exhausted
    }
    (spentOnOperations, spentOnPasses) = (onOperations, onPasses)
  }

  static var exhausted: JOSEError {
    JOSEError(.limitExceeded, "too many keys, signatures or recipients would have to be tried", name: "additionalWork")
  }
}

/// What one attempt costs.
struct Work {
  /// The operation with the key.
  var operation: Int
  /// The way through the message: its octets, and what its header demands.
  var pass: Int
}

/// The greatest costs so far, which are free.
private struct FreeShare {
  private let count: Int
  /// The greatest, and of more than one the others in no order. An array costs an allocation, which a token with a
  /// single signature is spared.
  private var greatest: Int?
  private var others: [Int] = []

  init(count: Int) {
    self.count = max(count, 1)
  }

  /// The greatest, or 0 before any.
  var greatestCost: Int { greatest ?? 0 }

  /// What another cost adds to those that are not free.
  mutating func charge(_ cost: Int) -> Int {
    guard let greatest else {
      self.greatest = cost
      return 0
    }
    var extra = min(cost, greatest)
    self.greatest = max(cost, greatest)
    if others.count < count - 1 {
      others.append(extra)
      return 0
    }
    if let place = others.indices.min(by: { others[$0] < others[$1] }), others[place] < extra {
      swap(&extra, &others[place])
    }
    return extra
  }
}

/// Costs in units of about a microsecond, rounded up from what `bench` measures without hardware kernels.
private enum WorkCost {
  /// Hashing or decrypting: about 2.5 ns an octet.
  static func octets(_ count: Int) -> Int { count / 400 }

  /// Iterations of a password: about half a microsecond each.
  static func iterations(_ count: Int) -> Int { count / 2 }

  /// The modulus in units of 256 bits: 8 to 32 by the limits of a key, so that the cubes below fit 32 bits.
  private static func size(_ key: AnyRSAPublicKey) -> Int { (key.bitCount + 255) / 256 }

  static func privateOperation(_ key: AnyRSAPublicKey) -> Int { size(key) * size(key) * size(key) * 5 / 4 }
  static func publicOperation(_ key: AnyRSAPublicKey) -> Int { size(key) * size(key) / 2 }
}

extension VerificationKey {
  /// What it costs to verify one signature over this many octets of input.
  func work(byteCount: Int) -> Work {
    let operation =
      if case .publicKey(.rsa(let key)) = material {
        WorkCost.publicOperation(key)
      } else {
        algorithm.row.curve?.row.operationCost ?? algorithm.row.parameterSet?.operationCost ?? 2
      }
    return Work(operation: operation, pass: WorkCost.octets(byteCount))
  }
}

extension DecryptionKey {
  /// What it costs to open a message of this many octets.
  ///
  /// - Parameter iterationCount: `p2c`, as far as it is accepted.
  func work(byteCount: Int, iterationCount: Int) -> Work {
    let operation =
      switch material {
      case .direct, .wrapping: 10
      case .privateKey(.rsa(let key)): WorkCost.privateOperation(key.publicKey)
      case .privateKey(.lattice(let key)): key.kem.operationCost
      case .privateKey: (encryptionKey.curve ?? .p521).row.operationCost
      // The time of another machine, and perhaps money.
      case .external: 3000
      }
    return Work(operation: operation, pass: WorkCost.octets(byteCount) + WorkCost.iterations(iterationCount))
  }

  /// Whether an encrypted key may be one for this key, as far as everybody can see: RSA makes as many octets as its
  /// modulus has.
  func mayOpen(_ encryptedKey: [UInt8]) -> Bool {
    guard case .privateKey(.rsa(let key)) = material else { return true }
    return encryptedKey.count == (key.publicKey.bitCount + 7) / 8
  }
}
