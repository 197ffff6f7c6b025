import Glibc

/// An entry point that takes a secret, as a function from the secret to a result.
///
/// It runs twice with each secret, in two processes: openly, and with the secret tainted. The results must be the same;
/// then the silence of memcheck was about the right computation. What memcheck says of the open run is not about
/// secrets.
struct TaintedOperation {
  /// Its name in the inventory.
  let name: String

  /// The function that must be reported, in a twin that leaks on purpose.
  let leaksIn: String?

  /// Whether some of the secrets must lead to a result and others to none: both sides of a decision are run.
  let decides: Bool

  /// Made in the process that runs the operation, so that nothing is reported, and then no more, before.
  let secrets: () -> [[UInt8]]

  /// Nil, as a thrown error, stands for a refusal. The number is the secret's place among the secrets, and public.
  let body: (_ secret: [UInt8], _ number: Int) throws -> [UInt8]?

  init(
    _ name: String, leaksIn: String? = nil, decides: Bool = false,
    numbered secrets: @escaping @autoclosure () -> [[UInt8]],
    body: @escaping (_ secret: [UInt8], _ number: Int) throws -> [UInt8]?
  ) {
    self.name = name
    self.leaksIn = leaksIn
    self.decides = decides
    self.secrets = secrets
    self.body = body
  }

  init(
    _ name: String, leaksIn: String? = nil, decides: Bool = false, _ secrets: @escaping @autoclosure () -> [[UInt8]],
    body: @escaping (_ secret: [UInt8]) throws -> [UInt8]?
  ) {
    self.init(name, leaksIn: leaksIn, decides: decides, numbered: secrets()) { secret, _ in try body(secret) }
  }

  /// The results with open secrets.
  private func openResults() -> [[UInt8]?] {
    secrets().enumerated().map { number, secret in
      Randomness.sequence = Sequence64(state: 1)
      return result(of: secret, number)
    }
  }

  /// What is wrong with the results with tainted secrets, or nil.
  private func failure(expected: [[UInt8]?]) -> String? {
    for (number, secret) in secrets().enumerated() {
      Randomness.sequence = Sequence64(state: 1)
      let tainted = Taint.tainted(secret)
      Randomness.isTainted = true
      let result = result(of: tainted, number)
      Randomness.isTainted = false
      guard (result == nil) == (expected[number] == nil) else {
        return "a tainted secret is judged otherwise than an open one"
      }
      guard let result, let expected = expected[number] else { continue }
      guard Taint.published(result) == expected else { return "a tainted secret gives another result than an open one" }
    }
    let refusals = expected.count { $0 == nil }
    if decides, refusals == 0 || refusals == expected.count { return "only one side of the decision was run" }
    if !decides, refusals > 0 { return "there is no result" }
    return nil
  }

  // A function of its own, so that both runs are the same code.
  @inline(never)
  func result(of secret: [UInt8], _ number: Int) -> [UInt8]? {
    do { return try body(secret, number) } catch { return nil }
  }

  /// Runs in two processes of their own, so that every report belongs to this operation, and prints the processes and
  /// the verdict.
  func runApart() {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { fatalError("no pipe") }
    let open = fork()
    if open == 0 {
      for result in openResults() {
        // A length and the octets, or −1 for a refusal.
        Self.write(withUnsafeBytes(of: result?.count ?? -1) { Array($0) }, to: ends[1])
        Self.write(result ?? [], to: ends[1])
      }
      _exit(0)
    }
    close(ends[1])
    var expected: [[UInt8]?] = []
    while let length = Self.read(MemoryLayout<Int>.size, from: ends[0])?.withUnsafeBytes({ $0.load(as: Int.self) }) {
      expected.append(length < 0 ? nil : Self.read(length, from: ends[0]))
    }
    close(ends[0])
    var status: Int32 = 0
    waitpid(open, &status, 0)
    let tainted = fork()
    if tainted == 0 {
      let failure = failure(expected: expected)
      if let failure { print(failure) }
      fflush(nil)
      _exit(failure == nil ? 0 : 1)
    }
    waitpid(tainted, &status, 0)
    print("done", open, tainted, status, name, separator: "\t")
    fflush(nil)
  }

  private static func write(_ octets: [UInt8], to descriptor: Int32) {
    var start = 0
    while start < octets.count {
      start += octets.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + start, octets.count - start) }
    }
  }

  private static func read(_ count: Int, from descriptor: Int32) -> [UInt8]? {
    var octets = [UInt8](repeating: 0, count: count)
    var start = 0
    while start < count {
      let received = octets.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + start, count - start) }
      guard received > 0 else { return nil }
      start += received
    }
    return octets
  }
}
