import Glibc

/// What looks into each block of memory as it is given back, where it was loaded before this program:
/// `Tests/ConstantTime/FreedBlocks.swift`.
struct FreedBlocks {
  private typealias Watch = @convention(c) (UnsafeRawPointer, Int, Bool) -> Void
  private typealias Forget = @convention(c) () -> Void

  private let watchSecret: Watch
  private let forgetSecrets: Forget

  /// Written by one thread only: the probe has no other.
  nonisolated(unsafe) static var watchingDraws: FreedBlocks?

  init?() {
    guard let watch = dlsym(nil, "watchSecret"), let forget = dlsym(nil, "forgetSecrets") else { return nil }
    watchSecret = unsafeBitCast(watch, to: Watch.self)
    forgetSecrets = unsafeBitCast(forget, to: Forget.self)
  }

  /// Runs an operation with each of its secrets, and looks for that secret meanwhile, or for all that is drawn where
  /// there is none. The result is the caller's, and stays.
  func run(_ operation: TaintedOperation) {
    for (number, secret) in operation.secrets().enumerated() {
      Randomness.sequence = Sequence64(state: 1)
      report("\(operation.name)\t\(number)\n")
      watch(secret)
      FreedBlocks.watchingDraws = secret.count < 16 ? self : nil
      let result = operation.result(of: secret, number)
      FreedBlocks.watchingDraws = nil
      forgetSecrets()
      withExtendedLifetime(result) {}
    }
  }

  /// Looks for octets from now on: as they are, in the order in which limbs hold them, and as base64url.
  func watch(_ secret: [UInt8]) {
    for form in [secret, secret.reversed()] { watch(form, isText: false) }
    // Text begins anew every three octets.
    for start in 0..<3 { watch(Taint.base64URL(secret.dropFirst(start)), isText: true) }
  }

  private func watch(_ form: [UInt8], isText: Bool) {
    guard !form.isEmpty else { return }
    // Stays for good: what is watched must not move.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: form.count, alignment: 16)
    memory.copyBytes(from: form)
    if let start = memory.baseAddress { watchSecret(start, form.count, isText) }
  }

  private func report(_ line: String) {
    let bytes = Array(line.utf8)
    guard write(100, bytes, bytes.count) == bytes.count else { fatalError("nobody takes the reports") }
  }
}

extension TaintedOperations {
  /// What must be reported: a copy that nobody wipes.
  static var unwiped: TaintedOperation {
    TaintedOperation("twin: a copy that is not wiped", octets(32)) { secret in LeakyTwins.copied(secret) }
  }
}
