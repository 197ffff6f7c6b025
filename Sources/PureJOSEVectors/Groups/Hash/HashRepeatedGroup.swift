/// The hash of a short message repeated many times, fed in pieces of changing length.
struct HashRepeatedGroup: PlainHashGroup {
  let function: MessageHash

  func run(_ test: MemberReader) throws -> Verdict {
    let message = try test.octets("msg")
    let repetitions = try test.integer("repeat", in: 0...1 << 24)
    let digest = try test.octets("digest")
    guard message.count <= 1 << 10 else { throw VectorFault.malformed("member msg is too long to repeat") }
    // A run of copies: the pieces take 1, 2, 3, … up to all.
    let longest = min(repetitions, 1000)
    let copies = Array(repeatElement(message, count: longest).joined())
    var left = repetitions
    let pieces = (1...).lazy.prefix { _ in left > 0 }.map { index in
      let count = min((index - 1) % max(longest, 1) + 1, left)
      left -= count
      return copies[0..<(count * message.count)]
    }
    return .accepted(if: function.hash(pieces: pieces) == digest, otherwise: "the digest differs")
  }
}
