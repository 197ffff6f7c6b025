import PureCrypto

/// HMAC, in full length or cut to its first bits.
struct MacGroup: VectorGroup {
  private enum Algorithm: String {
    case sha256 = "HMACSHA256"
    case sha384 = "HMACSHA384"
    case sha512 = "HMACSHA512"
  }

  private let algorithm: Algorithm
  private let keySize: Int?
  private let tagSize: Int

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    let name = try group.string(ifPresent: "algorithm") ?? file.algorithm
    guard let algorithm = Algorithm(rawValue: name) else { throw .notImplemented(name) }
    self.algorithm = algorithm
    keySize = try group.integer(ifPresent: "keySize")
    tagSize = try group.integer("tagSize")
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let key = try test.octets("key")
    let message = try test.octets("msg")
    let tag = try test.octets("tag")
    if let keySize, keySize != key.count * 8 { throw .malformed("the key is not \(keySize) bits long") }
    switch algorithm {
    case .sha256: return judge(tag, HMACSHA256.self, key, message)
    case .sha384: return judge(tag, HMACSHA384.self, key, message)
    case .sha512: return judge(tag, HMACSHA512.self, key, message)
    }
  }

  private func judge<Function>(
    _ tag: [UInt8], _: HMACSHA2<Function>.Type, _ key: [UInt8], _ message: [UInt8]
  ) -> Verdict {
    let full = Array(HMACSHA2<Function>.authenticate(message, key: key))
    var prepared = HMACSHA2<Function>(key: SecretBytes(copying: key))
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
