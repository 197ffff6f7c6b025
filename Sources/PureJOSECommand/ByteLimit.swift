import JOSE

/// How many octets of standard input or of a file are read. A stream without an end must not fill the memory.
struct ByteLimit: Sendable {
  let count: Int
  /// What is refused that is longer, and what takes longer ones, if there is such an option.
  private let refusal: String

  /// Keys, passwords, key sets, certificates and configurations.
  static let file = ByteLimit(
    count: 1 << 20, refusal: "limitExceeded: the file or the input is longer than a megabyte, as no key is")
  /// What is never read beyond, whatever it is for.
  static let greatest = 1 << 30

  private init(count: Int, refusal: String) { (self.count, self.refusal) = (count, refusal) }

  /// Messages: as long as `--max-size` allows, with the line breaks that a shell leaves at the end.
  static func message(_ limits: Limits) -> ByteLimit {
    let error = JOSEError(.limitExceeded, "the message is longer than the limit", name: "messageByteCount")
    return ByteLimit(
      count: limits.messageByteCount.addingClamped(64),
      refusal: "\(error); --max-size takes longer messages than \(limits.messageByteCount) octets")
  }

  /// Tokens of verbs that take no longer ones.
  static let token = ByteLimit(
    count: Limits.default.messageByteCount,
    refusal: "\(JOSEError(.limitExceeded, "the token is longer than the limit", name: "tokenByteCount"))")

  /// What is signed or encrypted: as long as `--max-size` says.
  static func payload(_ arguments: Arguments) throws(CommandFailure) -> ByteLimit {
    let count = try arguments.octetCount("max-size") ?? greatest
    return ByteLimit(
      count: count,
      refusal: "limitExceeded(messageByteCount): the input is longer than the limit; --max-size takes longer ones than "
        + "\(count) octets")
  }

  /// What was read, if it is within the limit.
  func accept(_ octets: [UInt8]) throws(CommandFailure) -> [UInt8] {
    guard octets.count <= count else { throw .invalid(refusal) }
    return octets
  }
}

extension Int {
  fileprivate func addingClamped(_ more: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(more)
    return overflow ? .max : sum
  }
}
