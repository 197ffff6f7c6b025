import PureCrypto
import PureJOSETestSupport
import Testing

/// What RFC 9935 says of keys of ML-KEM in SPKI and PKCS #8.
@Suite("Key files of ML-KEM")
struct MLKEMKeyFileTests {
  static let sets: [MLKEMParameterSet] = [.mlKEM768, .mlKEM1024]

  private func code(_ body: () throws -> Void) -> CryptoError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? CryptoError)?.code
    }
  }

  /// PrivateKeyInfo around one of the forms of a private key.
  private func file(
    _ set: MLKEMParameterSet, version: UInt8 = 0, publicKey: [UInt8]? = nil, _ write: (inout DERWriter) -> Void
  ) -> [UInt8] {
    let spki = MLKEMPrivateKey(set).publicKey.derRepresentation
    var writer = DERWriter(capacity: 8192)
    writer.constructed(.sequence) { info in
      info.primitive(.integer, [version])
      // SEQUENCE { OBJECT IDENTIFIER of nine octets }, as it stands in SPKI behind four octets of the outer SEQUENCE.
      info.whole(spki[4..<17])
      info.constructed(.octetString, write)
      if let publicKey { info.primitive(.primitive(1), [0] + publicKey) }
    }
    return writer.bytes
  }

  @Test("the form with a seed is read and written; both forms together are read if they agree", arguments: sets)
  func forms(_ set: MLKEMParameterSet) throws {
    let key = MLKEMPrivateKey(set)
    let seed = key.seed.withUnsafeBytes { Array($0) }
    let expanded = key.expanded.expandedRepresentation.withUnsafeBytes { Array($0) }
    let written = key.derRepresentation.withUnsafeBytes { Array($0) }
    #expect(written.count == 86 && written == file(set) { $0.primitive(.primitive(0), seed) })
    #expect(key.publicKey.derRepresentation.count == key.publicKey.rawRepresentation.count + 22)
    let both = file(set) { choice in
      choice.constructed(.sequence) { both in
        both.primitive(.octetString, seed)
        both.primitive(.octetString, expanded)
      }
    }
    #expect(try MLKEMPrivateKey(derRepresentation: both).publicKey == key.publicKey)
    let beside = file(set, version: 1, publicKey: key.publicKey.rawRepresentation) {
      $0.primitive(.primitive(0), seed)
    }
    #expect(try MLKEMPrivateKey(derRepresentation: beside).publicKey == key.publicKey)
    #expect(try MLKEMPrivateKey(pemRepresentation: key.pemRepresentation).publicKey == key.publicKey)
    #expect(try MLKEMPublicKey(pemRepresentation: key.publicKey.pemRepresentation) == key.publicKey)
    // So does what reads keys of any kind.
    for file in [written, both, beside] {
      guard case .privateKey(.lattice(let read)) = try file.withUnsafeBytes({ try KeyFile(derRepresentation: $0) })
      else {
        Issue.record("not a key of ML-KEM")
        continue
      }
      #expect(read.publicKey.rawRepresentation == key.publicKey.rawRepresentation)
      #expect(PrivateKey.lattice(read).derRepresentation?.withUnsafeBytes { Array($0) } == written)
    }
  }

  @Test("an expanded key without its seed, halves of two keys and wrong lengths are refused", arguments: sets)
  func refusals(_ set: MLKEMParameterSet) throws {
    let key = MLKEMPrivateKey(set)
    let seed = key.seed.withUnsafeBytes { Array($0) }
    let expanded = key.expanded.expandedRepresentation.withUnsafeBytes { Array($0) }
    func refusal(
      version: UInt8 = 0, publicKey: [UInt8]? = nil, _ write: (inout DERWriter) -> Void
    ) -> CryptoError.Code? {
      let octets = file(set, version: version, publicKey: publicKey, write)
      return code { _ = try MLKEMPrivateKey(derRepresentation: octets) }
    }
    func both(_ seed: [UInt8], _ expanded: [UInt8]) -> CryptoError.Code? {
      refusal { choice in
        choice.constructed(.sequence) { both in
          both.primitive(.octetString, seed)
          both.primitive(.octetString, expanded)
        }
      }
    }
    #expect(both(seed, expanded) == nil)
    #expect(refusal { $0.primitive(.octetString, expanded) } == .unsupportedKey)
    // Every part of the expanded key counts: ŝ, ek, H(ek) and z.
    for place in [0, expanded.count / 2, expanded.count - 64, expanded.count - 1] {
      var changed = expanded
      changed[place] ^= 1
      #expect(both(seed, changed) == .invalidPrivateKey)
    }
    #expect(both(seed, Array(expanded.dropLast())) == .invalidPrivateKey)
    #expect(both(seed, expanded + [0]) == .invalidPrivateKey)
    #expect(both(Array(seed.dropLast()), expanded) == .invalidPrivateKey)
    for other in [Array(seed.dropLast()), seed + [0], []] {
      #expect(refusal { $0.primitive(.primitive(0), other) } == .invalidPrivateKey)
    }
    #expect(refusal { $0.primitive(.primitive(1), seed) } == .malformedDER)
    #expect(refusal { _ in } == .malformedDER)
    #expect(
      refusal { choice in
        choice.primitive(.primitive(0), seed)
        choice.primitive(.null, [])
      } == .malformedDER)
    #expect(refusal { choice in choice.constructed(.sequence) { $0.primitive(.octetString, seed) } } == .malformedDER)
    #expect(
      refusal { choice in
        choice.constructed(.sequence) { both in
          both.primitive(.octetString, seed)
          both.primitive(.octetString, expanded)
          both.primitive(.null, [])
        }
      } == .malformedDER)
    let other = MLKEMPrivateKey(set).publicKey.rawRepresentation
    #expect(refusal(version: 1, publicKey: other) { $0.primitive(.primitive(0), seed) } == .invalidPrivateKey)
    #expect(
      refusal(version: 1, publicKey: Array(other.dropLast())) { $0.primitive(.primitive(0), seed) }
        == .invalidPublicKey)
  }

  @Test("the object identifier is the parameter set's, and its parameters are absent", arguments: sets)
  func identifiers(_ set: MLKEMParameterSet) throws {
    let spki = MLKEMPrivateKey(set).publicKey.derRepresentation
    #expect(try MLKEMPublicKey(derRepresentation: spki).parameterSet == set)
    #expect(spki[16] == (set == .mlKEM768 ? 2 : 3))
    // Another set's, for which the key has a wrong length, and one that nothing has.
    for (octet, expected) in [
      (spki[16] ^ 1, CryptoError.Code.invalidPublicKey), (1, .unsupportedKey), (4, .unsupportedKey),
    ] {
      var changed = spki
      changed[16] = octet
      #expect(code { _ = try MLKEMPublicKey(derRepresentation: changed) } == expected)
    }
    var writer = DERWriter(capacity: 4096)
    writer.constructed(.sequence) { info in
      info.constructed(.sequence) { identifier in
        identifier.whole(spki[6..<17])
        identifier.primitive(.null, [])
      }
      info.whole(spki[17...])
    }
    let withNull = writer.bytes
    #expect(code { _ = try MLKEMPublicKey(derRepresentation: withNull) } == .malformedDER)
    let edwards = Ed25519PrivateKey()
    #expect(
      code { _ = try MLKEMPublicKey(derRepresentation: edwards.publicKey.derRepresentation) } == .unsupportedKey)
    #expect(code { _ = try MLKEMPrivateKey(pemRepresentation: edwards.pemRepresentation) } == .unsupportedKey)
    #expect(
      code { _ = try Ed25519PrivateKey(pemRepresentation: MLKEMPrivateKey(set).pemRepresentation) } == .unsupportedKey)
  }
}
