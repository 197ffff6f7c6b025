import PureCrypto

/// Many messages and exported secrets of one run of HPKE each, and digests of all of them.
struct HPKEAccumulatedGroup: VectorGroup {
  private let count: Int

  init(count: Int) { self.count = count }

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    count = try group.integer("count", in: 1...10_000)
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let inputs = try HPKEInputs(reading: test)
    return try inputs.withKey(Judgement(count: count, inputs: inputs, test: test))
  }

  private struct Judgement: HPKEKeyUser {
    let count: Int
    let inputs: HPKEInputs
    let test: MemberReader

    func use(_ recipient: some HPKEPrivateKey) throws -> Verdict {
      let sealedDigest = try test.octets(ifPresent: "sealedDigest")
      let (encapsulatedKey, exportedDigest) = (try test.octets("enc"), try test.octets("exportedDigest"))
      var sender = try inputs.sender(to: recipient)
      guard sender.encapsulatedKey == encapsulatedKey else { return .wrong("enc differs") }
      let (privateKey, publicKey) = (try test.octets(ifPresent: "skR"), try test.octets(ifPresent: "pkR"))
      guard recipient.hpkeSerialization.octets == privateKey ?? recipient.hpkeSerialization.octets,
        recipient.publicKey.hpkeSerialization == publicKey ?? recipient.publicKey.hpkeSerialization
      else { return .wrong("the recipient's key differs") }
      var receiver = try inputs.receiver(recipient, encapsulatedKey)
      if let sealedDigest {
        var (stream, sealed) = (InputStream(inputCount: 2 * count), SHAKE.shake128)
        for number in 0..<count {
          let (data, message) = (stream.input(), stream.input())
          let ciphertext = try sender.seal(message, authenticating: data)
          sealed.update(ciphertext)
          guard try receiver.open(ciphertext, authenticating: data) == message else {
            return .wrong("plaintext \(number) differs")
          }
        }
        guard sealed.output(byteCount: 16) == sealedDigest else { return .wrong("the digest of messages differs") }
      }
      var (stream, exported) = (InputStream(inputCount: count), SHAKE.shake128)
      for byteCount in 0..<count {
        let context = stream.input()
        let secret = try sender.export(context: context, byteCount: byteCount).octets
        exported.update(secret)
        guard try receiver.export(context: context, byteCount: byteCount).octets == secret else {
          return .wrong("secret \(byteCount) differs")
        }
      }
      return .accepted(
        if: exported.output(byteCount: 16) == exportedDigest, otherwise: "the digest of exported secrets differs")
    }
  }

  /// Inputs of 0 to 255 octets from SHAKE128 of nothing, the length before each.
  private struct InputStream {
    private var rest: ArraySlice<UInt8>

    init(inputCount: Int) { rest = SHAKE.shake128.output(byteCount: 256 * inputCount)[...] }

    mutating func input() -> [UInt8] {
      let input = Array(rest.dropFirst().prefix(Int(rest.first ?? 0)))
      rest = rest.dropFirst(1 + input.count)
      return input
    }
  }
}
