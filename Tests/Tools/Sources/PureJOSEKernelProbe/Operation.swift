/// A kernel with everything public about its call: key length and message length.
struct Operation {
  let name: String

  /// Whether the traces must be equal. False for the twins, which leak on purpose.
  let mustBeConstant: Bool

  /// Whether it is recorded only when asked for.
  let isLong: Bool

  /// Whether it is a public operation of millions of instructions, for which a few secrets must do.
  let isWhole: Bool

  /// Prepares a run with one secret outside the recorded part, and returns that part.
  let prepare: (_ secret: Secret, _ memory: Memory) throws -> () -> Void

  init(
    _ name: String, mustBeConstant: Bool = true, isLong: Bool = false, isWhole: Bool = false,
    prepare: @escaping (_ secret: Secret, _ memory: Memory) throws -> () -> Void
  ) {
    self.name = name
    self.mustBeConstant = mustBeConstant
    self.isLong = isLong
    self.isWhole = isWhole
    self.prepare = prepare
  }

  /// Runs with each secret in turn, all in the same memory. The first run is not recorded: it resolves the names of
  /// functions.
  func run(secretCount: Int, memory: Memory) throws {
    try prepare(Secret(number: 0), memory)()
    for number in 0..<secretCount { try recorded(Secret(number: number), memory) }
  }

  // In a function of its own, so that all it made is gone before the next run.
  @inline(never)
  private func recorded(_ secret: Secret, _ memory: Memory) throws {
    let body = try prepare(secret, memory)
    traceBegins()
    body()
    traceEnds()
  }
}
