/// The hash of a message: at once, and in pieces that end anywhere.
struct HashGroup: PlainHashGroup {
  let function: MessageHash

  func run(_ test: MemberReader) throws -> Verdict {
    let message = try test.octets("msg")
    let digest = try test.octets("digest")
    guard function.hash(message) == digest else { return .wrong("the digest differs") }
    for pieceLength in [1, 7, 64, 100] where pieceLength < message.count {
      let starts = stride(from: 0, to: message.count, by: pieceLength)
      let pieces = starts.lazy.map { message[$0..<min($0 + pieceLength, message.count)] }
      guard function.hash(pieces: pieces) == digest else {
        return .wrong("the digest differs when fed in pieces of \(pieceLength)")
      }
    }
    return .accepted
  }
}
