import PureCrypto

/// Many seeds and ciphertexts from one stream, and a digest of what they give.
struct MLKEMAccumulatedGroup: PlainMLKEMGroup {
  let parameterSet: MLKEMParameterSet

  func run(_ test: MemberReader) throws -> Verdict {
    let count = try test.integer("count", in: 1...10_000)
    let digest = try test.octets("digest")
    let ciphertextCount = parameterSet.ciphertextByteCount
    let stream = SHAKE.shake128.output(byteCount: count * (64 + ciphertextCount))
    var accumulated = SHAKE.shake128
    var rest = stream[...]
    for _ in 0..<count {
      let key = try MLKEMPrivateKey(parameterSet, seed: SecretBytes(copying: rest.prefix(64)))
      let ciphertext = rest.dropFirst(64).prefix(ciphertextCount)
      accumulated.update(key.publicKey.rawRepresentation)
      accumulated.update(try key.decapsulate(ciphertext).octets)
      rest = rest.dropFirst(64 + ciphertextCount)
    }
    return .accepted(if: accumulated.output(byteCount: 32) == digest, otherwise: "the digest differs")
  }
}
