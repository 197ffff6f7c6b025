/// One entry point that takes a secret.
struct Operation {
  /// Its name in the inventory of SECURITY.md.
  let name: String

  /// Whether the traces must be equal. False for the leaky twins, which the check must catch or it proves nothing.
  let mustBeConstant: Bool

  /// Whether a trace has tens of millions of lines, so that it is taken only when asked for.
  let isLong: Bool

  /// The secrets to run with.
  let secrets: (_ count: Int) -> [[UInt8]]

  /// Prepares a run with one secret outside the traced part, and returns the part to trace.
  let prepare: (_ secret: [UInt8]) throws -> () -> Void

  init(
    _ name: String, mustBeConstant: Bool = true, isLong: Bool = false, secrets: @escaping (_ count: Int) -> [[UInt8]],
    prepare: @escaping (_ secret: [UInt8]) throws -> () -> Void
  ) {
    self.name = name
    self.mustBeConstant = mustBeConstant
    self.isLong = isLong
    self.secrets = secrets
    self.prepare = prepare
  }

  /// Runs the operation with each secret, each in the same memory, so that addresses can be compared.
  ///
  /// The first runs fill caches and settle the heap. Their traces are not compared.
  /// - Parameter only: the place of the one secret to run, if each secret has a process of its own.
  func run(count: Int, only: Int?) throws {
    let secrets = secrets(count)
    var secret = secrets[0]
    let compared = only.map { [secrets[$0 % count]] } ?? secrets
    // Held to the end: arrays that are freed on the way would leave another heap for each secret.
    try withExtendedLifetime(secrets) {
      for next in Array(repeating: secrets[0], count: Self.warmingUp) + compared {
        for index in secret.indices { secret[index] = next[index] }
        try traced(secret)
      }
    }
  }

  /// Runs that come before those that are compared.
  static let warmingUp = 3

  // In a function of its own, so that all it made is gone before the next run.
  @inline(never)
  private func traced(_ secret: [UInt8]) throws {
    let body = try prepare(secret)
    traceBegins()
    body()
    traceEnds()
  }
}
