import PureCrypto

/// HMAC, in full length or cut to its first bits.
struct MacGroup: VectorGroup {
  private let function: HashFunction
  private let keySize: Int?
  private let tagSize: Int

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    function = try HashFunction(in: group.string(ifPresent: "algorithm") ?? file.algorithm, after: "HMAC")
    keySize = try group.integer(ifPresent: "keySize")
    tagSize = try group.integer("tagSize")
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let key = try test.octets("key")
    let message = try test.octets("msg")
    let tag = try test.octets("tag")
    if let keySize, keySize != key.count * 8 { throw VectorFault.malformed("the key is not \(keySize) bits long") }
    return function.type.judge(tag, tagSize: tagSize, key, message)
  }
}

extension SHA2Function {
  fileprivate static func judge(_ tag: [UInt8], tagSize: Int, _ key: [UInt8], _ message: [UInt8]) -> Verdict {
    let full = Array(HMACSHA2<Self>.authenticate(message, anyKey: key))
    var prepared = HMACSHA2<Self>(anyKey: SecretBytes(copying: key))
    for octet in message { prepared.update(CollectionOfOne(octet)) }
    guard Array(prepared.finalize()) == full else { return .wrong("octet by octet the code differs") }
    let isRight = tag.count * 8 == tagSize && tag == Array(full.prefix(tag.count))
    // A code cut short is for the caller to compare; only the full one is ever valid.
    guard prepared.isValid(tag) == (isRight && tag.count == full.count) else {
      return .wrong("isValid contradicts the code")
    }
    return .accepted(if: isRight)
  }
}
