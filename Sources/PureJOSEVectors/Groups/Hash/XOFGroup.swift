import PureCrypto

/// The output of SHAKE128 or SHAKE256 for a message: at once, and for the message in pieces.
struct XOFGroup: VectorGroup {
  private let start: SHAKE

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    switch try group.string("xof") {
    case "SHAKE128": start = .shake128
    case "SHAKE256": start = .shake256
    case let name: throw .notImplemented(name)
    }
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let message = try test.octets("msg")
    let output = try test.octets("output")
    var whole = start
    whole.update(message)
    guard whole.output(byteCount: output.count) == output else { return .wrong("the output differs") }
    guard whole.output(byteCount: output.count / 2) == Array(output.prefix(output.count / 2)) else {
      return .wrong("a shorter output is another one")
    }
    var pieces = start
    for octet in message { pieces.update(CollectionOfOne(octet)) }
    return .accepted(if: pieces.output(byteCount: output.count) == output, otherwise: "octet by octet it differs")
  }
}
