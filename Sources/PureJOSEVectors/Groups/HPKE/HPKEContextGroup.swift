import PureCrypto

/// One run of HPKE with everything that is derived, and its messages and exported secrets.
struct HPKEContextGroup: VectorGroup {
  private static let names = [
    "skE", "skR", "pkR", "enc", "sharedSecret", "keyScheduleContext", "secret", "key", "baseNonce", "exporterSecret",
  ]

  private let inputs: HPKEInputs
  /// What comes of the inputs, in the order of the names; nil where the file doesn't say it.
  private let values: [[UInt8]?]

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    inputs = try HPKEInputs(reading: group)
    var values: [[UInt8]?] = []
    for name in Self.names { values.append(try group.octets(ifPresent: name)) }
    self.values = values
  }

  func run(_ test: MemberReader) throws -> Verdict { try inputs.withKey(Judgement(group: self, test: test)) }

  private struct Judgement: HPKEKeyUser {
    let group: HPKEContextGroup
    let test: MemberReader

    func use(_ recipient: some HPKEPrivateKey) throws -> Verdict {
      let (schedule, inputs) = (try derivation(recipient), group.inputs)
      for (name, (value, expected)) in zip(HPKEContextGroup.names, zip(schedule.values, group.values))
      where value != expected ?? value {
        return .wrong("\(name) differs")
      }
      let number = UInt64(try test.integer(ifPresent: "sequenceNumber") ?? 0)
      var sender = try inputs.sender(to: recipient, sequenceNumber: number)
      var receiver = try inputs.receiver(recipient, sender.encapsulatedKey, sequenceNumber: number)
      guard test.has("ct") else {
        let (context, count) = (try test.octets("exporterContext"), try test.integer("size"))
        let exported = try test.octets("exported")
        return .accepted(
          if: try sender.export(context: context, byteCount: count).octets == exported
            && receiver.export(context: context, byteCount: count).octets == exported,
          otherwise: "the exported secret differs")
      }
      let (message, data, ciphertext) = (try test.octets("msg"), try test.octets("aad"), try test.octets("ct"))
      guard nonce(schedule.baseNonce, number) == (try test.octets("nonce")) else { return .wrong("nonce differs") }
      guard try sender.seal(message, authenticating: data) == ciphertext else {
        return .wrong("the ciphertext differs")
      }
      return .accepted(
        if: try receiver.open(ciphertext, authenticating: data) == message, otherwise: "the plaintext differs")
    }

    private func derivation<Key: HPKEPrivateKey>(
      _ recipient: Key
    ) throws -> (values: [[UInt8]], baseNonce: [UInt8]) {
      let (suite, inputs) = (group.inputs.suite, group.inputs)
      let (sharedSecret, encapsulated) = try suite.kem.encapsulate(
        to: recipient.publicKey, randomness: inputs.randomness)
      let schedule = try HPKE.KeySchedule(
        kem: suite.kem.identifier, kdf: suite.kdf, aead: suite.aead, sharedSecret: sharedSecret, info: inputs.info,
        preSharedKey: inputs.preSharedKey)
      let baseNonce = schedule.baseNonce.octets
      // Only DHKEM has a key for one use, of the recipient's kind.
      let ephemeral = try group.values[0].map { _ in try Key(deriving: inputs.randomness, for: suite.kem) }
      let values = [
        ephemeral?.hpkeSerialization.octets ?? [], recipient.hpkeSerialization.octets,
        recipient.publicKey.hpkeSerialization, encapsulated, sharedSecret.octets, schedule.context,
        schedule.secret?.octets ?? [], schedule.key.octets,
        baseNonce, schedule.exporterSecret.octets,
      ]
      return (values, baseNonce)
    }

    /// base_nonce ⊕ number.
    private func nonce(_ base: [UInt8], _ number: UInt64) -> [UInt8] {
      let octets = [0, 0, 0, 0] + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
      return zip(base, octets).map { $0 ^ $1 }
    }
  }
}
