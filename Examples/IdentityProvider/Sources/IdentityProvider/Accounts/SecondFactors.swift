import JOSE
import PureCrypto

/// Second factors: time-based codes, each valid once, and recovery codes in case the phone is lost.
struct SecondFactors: Sendable {
  let users: UserRepository
  let seal: SealingKey
  let clock: WallClock

  /// Whether a code is the user's, for the present step or one step before or after. The check uses the code up.
  func isValid(_ code: String, of userID: String) async throws -> Bool {
    let text = Self.plain(code)
    guard (6...32).contains(text.utf8.count) else { return false }
    guard !Self.isRecoveryCode(code) else {
      return try await users.useRecoveryCode(Self.hash(text, of: userID), of: userID)
    }
    guard let sealed = try await users.secondFactor(of: userID) else { return false }
    let seed = try seal.open(sealed)
    guard let step = Self.step(of: text, seed: seed, at: clock.now) else { return false }
    return try await users.useSecondFactorStep(step, of: userID)
  }

  /// Whether a text can only be a recovery code.
  static func isRecoveryCode(_ code: String) -> Bool { plain(code).utf8.count > 6 }

  private static func plain(_ code: String) -> String { code.filter { $0 != " " && $0 != "-" } }

  /// The step that a code belongs to. All steps are compared, so that the running time tells nothing.
  static func step(of code: String, seed: [UInt8], at now: NumericDate) -> Int64? {
    let current = OneTimePassword.step(at: now)
    var found: Int64?
    for step in (current - 1)...(current + 1)
    where ConstantTime.equal(OneTimePassword.code(seed: seed, step: step).utf8, code.utf8) {
      found = step
    }
    return found
  }

  /// Turns the second factor on, if the code shows that the user's app has the seed. Returns recovery codes, which are
  /// shown once; nil for a wrong code.
  func enable(seed: [UInt8], code: String, of user: User) async throws -> [String]? {
    guard let step = Self.step(of: code.filter { $0 != " " }, seed: seed, at: clock.now) else { return nil }
    // 80 bits each.
    let recovery = (0..<8).map { _ in OneTimePassword.text(of: RandomText.octets(10)) }
    let (sealed, hashes) = (try seal.seal(seed), recovery.map { Self.hash($0, of: user.id) })
    try await users.write(for: user) { [users] session in
      try users.setSecondFactor(sealed, usedStep: step, recoveryCodes: hashes, of: user.id, in: session)
    }
    return recovery
  }

  private static func hash(_ code: String, of userID: String) -> [UInt8] {
    Array(SHA2.SHA256.hash("\(userID) \(code.uppercased())".utf8))
  }
}

extension Provider {
  var secondFactors: SecondFactors { SecondFactors(users: users, seal: seal, clock: clock) }
}
