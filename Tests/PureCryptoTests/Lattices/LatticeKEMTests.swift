import PureCrypto
import PureJOSETestSupport
import Synchronization
import Testing

/// The vectors are in TestVectors/lattice_kems.json and hpke_pq.json; of X-Wing also in XWingTests.
@Suite("KEMs with ML-KEM in them")
struct LatticeKEMTests {
  private func octets(_ secret: SecretBytes) -> [UInt8] { secret.unwipedOctets }

  private func key(_ kem: LatticeKEM) throws -> LatticeKEMPrivateKey {
    try LatticeKEMPrivateKey(kem, seed: SecretBytes(copying: testBytes(count: kem.seedByteCount)))
  }

  /// Source: draft-ietf-hpke-pq-05, table of KEMs.
  @Test(
    "Lengths are those of the draft's table",
    arguments: [
      (LatticeKEM.mlKEM768, 0x41, 1088, 1184, 64), (.mlKEM1024, 0x42, 1568, 1568, 64),
      (.mlKEM768P256, 0x50, 1153, 1249, 32), (.mlKEM1024P384, 0x51, 1665, 1665, 32),
      (.mlKEM768X25519, 0x647a, 1120, 1216, 32),
    ] as [(LatticeKEM, UInt16, Int, Int, Int)])
  func lengths(kem: LatticeKEM, identifier: UInt16, ciphertext: Int, publicKey: Int, seed: Int) throws {
    let key = LatticeKEMPrivateKey(kem)
    let made = try key.publicKey.encapsulate()
    #expect(key.publicKey.hpkeKEM?.identifier == identifier && key.kem == kem)
    #expect(made.ciphertext.count == ciphertext && kem.ciphertextByteCount == ciphertext)
    #expect(key.publicKey.rawRepresentation.count == publicKey && kem.publicKeyByteCount == publicKey)
    #expect(key.seed.count == seed && kem.seedByteCount == seed && made.sharedSecret.count == 32)
  }

  @Test(
    "Both sides learn the same secret; a change of any part gives another or is no point",
    arguments: LatticeKEM.allCases)
  func roundTrip(kem: LatticeKEM) throws {
    let key = LatticeKEMPrivateKey(kem)
    let publicKey = try LatticeKEMPublicKey(kem, rawRepresentation: key.publicKey.rawRepresentation)
    #expect(publicKey == key.publicKey && publicKey != LatticeKEMPrivateKey(kem).publicKey)
    #expect(try LatticeKEMPrivateKey(kem, seed: key.seed).publicKey == publicKey)
    #expect("\(key)" == "LatticeKEMPrivateKey(redacted)")
    let border = kem.parameterSet.ciphertextByteCount
    for _ in 0..<5 {
      let (secret, ciphertext) = try publicKey.encapsulate()
      let other = try publicKey.encapsulate()
      #expect(octets(secret) != octets(other.sharedSecret) && ciphertext != other.ciphertext)
      #expect(octets(try key.decapsulate(ciphertext)) == octets(secret))
      for place in [0, border / 2, border - 1] {
        var changed = ciphertext
        changed[place] ^= 2
        let (rejected, again) = (octets(try key.decapsulate(changed)), octets(try key.decapsulate(changed)))
        #expect(rejected != octets(secret) && rejected == again, "octet \(place)")
      }
      // Each part belongs to the other.
      guard ciphertext.count > border else { continue }
      for mixed in [
        ciphertext.prefix(border) + other.ciphertext.dropFirst(border),
        other.ciphertext.prefix(border) + ciphertext.dropFirst(border),
      ] {
        let secrets = [octets(secret), octets(other.sharedSecret)]
        #expect(!secrets.contains(octets(try key.decapsulate(mixed))))
      }
    }
  }

  @Test(
    "A point that is none is refused in keys and ciphertexts", arguments: [LatticeKEM.mlKEM768P256, .mlKEM1024P384])
  func invalidPoints(kem: LatticeKEM) throws {
    let key = try key(kem)
    let (publicKey, ciphertext) = (key.publicKey.rawRepresentation, try key.publicKey.encapsulate().ciphertext)
    let count = kem == .mlKEM768P256 ? 65 : 97
    let point = Array(ciphertext.suffix(count))
    var wrong: [[UInt8]] = [point.dropLast() + [point[count - 1] ^ 1], [UInt8](repeating: 0, count: count)]
    wrong.append([4] + [UInt8](repeating: 0xff, count: count - 1))
    for form in [0, 2, 3, 5, 6, 7] as [UInt8] { wrong.append([form] + point.dropFirst()) }
    for point in wrong {
      #expect(throws: CryptoError(.invalidPublicKey, "")) {
        _ = try key.decapsulate(ciphertext.dropLast(count) + point)
      }
      #expect(throws: CryptoError(.invalidPublicKey, "")) {
        _ = try LatticeKEMPublicKey(kem, rawRepresentation: publicKey.dropLast(count) + point)
      }
      let suite = HPKE.Ciphersuite(kem: .lattice(kem), kdf: .shake256, aead: .aes256GCM)
      #expect(throws: CryptoError(.invalidPublicKey, "")) {
        _ = try HPKE.Recipient(key, ciphertext.dropLast(count) + point, suite)
      }
    }
  }

  @Test("Any other length is refused, and coefficients that are not below q are", arguments: LatticeKEM.allCases)
  func refusals(kem: LatticeKEM) throws {
    let key = try key(kem)
    let (publicKey, ciphertext) = (key.publicKey.rawRepresentation, try key.publicKey.encapsulate().ciphertext)
    let border = kem.parameterSet.publicKeyByteCount
    for other in [Array(publicKey.dropLast()), publicKey + [0], [], Array(publicKey.prefix(border - 1))] {
      #expect(throws: CryptoError(.invalidPublicKey, "")) {
        _ = try LatticeKEMPublicKey(kem, rawRepresentation: other)
      }
    }
    var large = publicKey
    large.replaceSubrange(0..<2, with: [0xff, 0xff])
    #expect(throws: CryptoError(.invalidPublicKey, "")) { _ = try LatticeKEMPublicKey(kem, rawRepresentation: large) }
    let suite = HPKE.Ciphersuite(kem: .lattice(kem), kdf: .shake256, aead: .aes256GCM)
    for count in [0, 1, 32, 65, kem.parameterSet.ciphertextByteCount - 1, ciphertext.count - 1, ciphertext.count + 1] {
      let other = Array((ciphertext + [0]).prefix(count))
      #expect(throws: CryptoError(.decryptionFailed, "")) { _ = try key.decapsulate(other) }
      #expect(throws: CryptoError(.decryptionFailed, "")) { _ = try HPKE.Recipient(key, other, suite) }
    }
    for count in [0, 31, 33, 63, 65, 96 - kem.seedByteCount] {
      #expect(throws: CryptoError(.invalidPrivateKey, "")) {
        _ = try LatticeKEMPrivateKey(kem, seed: .random(count: count))
      }
    }
    for count in [0, kem.randomnessByteCount - 1, kem.randomnessByteCount + 1] {
      #expect(throws: CryptoError(.invalidPrivateKey, "")) {
        _ = try key.publicKey.encapsulate(randomness: .random(count: count))
      }
    }
  }

  // MARK: The curve's part

  private static let order256 = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
  private static let order384 =
    "ffffffffffffffffffffffffffffffffffffffffffffffff" + "c7634d81f4372ddf581a0db248b0a77aecec196accc52973"

  /// n less one, and one, are in range.
  @Test("Of four candidates for a scalar of P-256 the first that is in range counts")
  func candidates() throws {
    let publicKey = try key(.mlKEM768P256).publicKey
    let message = testBytes(count: 32, seed: 9)
    let (order, zero) = (try hex(Self.order256), [UInt8](repeating: 0, count: 32))
    let (above, ones) = (order.dropLast() + [order[31] + 1], [UInt8](repeating: 0xff, count: 32))
    let (last, first) = (order.dropLast() + [order[31] - 1], zero.dropLast() + [1])
    func point(_ candidates: [[UInt8]]) throws -> [UInt8] {
      let randomness = message + candidates.flatMap { $0 }
      return Array(try publicKey.encapsulate(randomness: SecretBytes(copying: randomness)).ciphertext.suffix(65))
    }
    let outside = [zero, order, Array(above), ones]
    for scalar in [Array(first), Array(last), testBytes(count: 32, seed: 5)] {
      let expected = try P256AgreementPrivateKey(rawRepresentation: scalar).publicKey.x963Representation
      let other = testBytes(count: 32, seed: 6)
      #expect(try point([scalar, other, other, other]) == expected)
      for bad in outside {
        #expect(try point([bad, scalar, other, other]) == expected)
        #expect(try point([bad, bad, scalar, other]) == expected)
        #expect(try point([bad, bad, bad, scalar]) == expected)
      }
    }
    #expect(throws: CryptoError(.invalidPrivateKey, "")) { _ = try point(outside) }
  }

  @Test("A scalar of P-384 that is out of range gives no key")
  func outOfRange() throws {
    let publicKey = try key(.mlKEM1024P384).publicKey
    let order = try hex(Self.order384)
    let zero = [UInt8](repeating: 0, count: 48)
    func encapsulates(_ scalar: [UInt8]) throws {
      _ = try publicKey.encapsulate(randomness: SecretBytes(copying: testBytes(count: 32) + scalar))
    }
    try encapsulates(zero.dropLast() + [1])
    try encapsulates(order.dropLast() + [order[47] - 1])
    for scalar in [zero, order, [UInt8](repeating: 0xff, count: 48)] {
      #expect(throws: CryptoError(.invalidPrivateKey, "")) { try encapsulates(scalar) }
    }
  }

  @Test(
    "The secret is made of both secrets, of the points and of the label",
    arguments: [LatticeKEM.mlKEM768P256, .mlKEM1024P384])
  func composition(kem: LatticeKEM) throws {
    let key = try key(kem)
    let isSmaller = kem == .mlKEM768P256
    let count = isSmaller ? 32 : 48
    var shake = SHAKE.shake256
    shake.update(octets(key.seed))
    let expanded = shake.output(byteCount: isSmaller ? 192 : 112)
    let lattice = try MLKEMPrivateKey(kem.parameterSet, seed: SecretBytes(copying: expanded.prefix(64)))
    let scalar = expanded.dropFirst(64).prefix(count)
    let (secret, ciphertext) = try key.publicKey.encapsulate()
    let border = kem.parameterSet.ciphertextByteCount
    let point = Array(ciphertext.dropFirst(border))
    func part<Curve: EllipticCurve>(_: Curve.Type) throws -> [UInt8] {
      let own = try ECPrivateKey<Curve, KeyUse.Agreement>(rawRepresentation: scalar)
      let agreed = try own.sharedSecret(with: ECPublicKey(x963Representation: point))
      #expect(key.publicKey.rawRepresentation == lattice.publicKey.rawRepresentation + own.publicKey.x963Representation)
      return agreed.withUnsafeBytes { Array($0) } + point + own.publicKey.x963Representation
    }
    let parts =
      octets(try lattice.decapsulate(ciphertext.prefix(border)))
      + (isSmaller ? try part(P256Curve.self) : try part(P384Curve.self))
      + Array((isSmaller ? "MLKEM768-P256" : "MLKEM1024-P384").utf8)
    #expect(octets(secret) == SHA3.hash(parts, .bits256))
  }

  // MARK: HPKE

  @Test("Keys derive from material for their KEM alone", arguments: LatticeKEM.allCases)
  func derivation(kem: LatticeKEM) throws {
    let material = SecretBytes(copying: testBytes(count: 64))
    let key = try LatticeKEMPrivateKey(deriving: material, for: .lattice(kem))
    #expect(key.kem == kem && octets(key.hpkeSerialization).count == kem.seedByteCount)
    for other in HPKE.KEM.allOfCurves {
      #expect(throws: CryptoError(.unsupportedKey, "")) { _ = try LatticeKEMPrivateKey(deriving: material, for: other) }
    }
    #expect(throws: CryptoError(.unsupportedKey, "")) {
      _ = try X25519PrivateKey(deriving: material, for: .lattice(kem))
    }
  }

  /// X-Wing's decapsulation refuses no point; its encapsulation does.
  @Test("Points of small order give another secret to the recipient, and none to the sender")
  func smallOrder() throws {
    let (key, suite) = (try key(.mlKEM768X25519), HPKE.Ciphersuite.mlKEM768X25519SHAKE256AES256GCM)
    var sender = try HPKE.Sender(key.publicKey, suite)
    let ciphertext = try sender.seal([1, 2, 3])
    for u in [0, 1] as [UInt8] {
      let point = [u] + [UInt8](repeating: 0, count: 31)
      var recipient = try HPKE.Recipient(key, sender.encapsulatedKey.dropLast(32) + point, suite)
      #expect(throws: CryptoError(.authenticationFailed, "")) { try recipient.open(ciphertext) }
      let weak = try LatticeKEMPublicKey(
        .mlKEM768X25519, rawRepresentation: key.publicKey.rawRepresentation.dropLast(32) + point)
      #expect(throws: CryptoError(.invalidPublicKey, "")) { _ = try HPKE.Sender(weak, suite) }
    }
  }

  #if DEBUG
    @Test("What a key is made of is wiped with it", arguments: LatticeKEM.allCases)
    func wipes(kem: LatticeKEM) throws {
      let seed = testBytes(count: kem.seedByteCount, seed: 3)
      let wiped = Mutex<[[UInt8]]>([])
      let observer = SecretEvents(
        drawing: { _ in false }, wiping: { memory in wiped.withLock { $0.append(Array(memory)) } })
      var expected = [seed]
      if kem.seedByteCount == 32 {
        var shake = SHAKE.shake256
        shake.update(seed)
        let count = [.mlKEM768P256: 192, .mlKEM1024P384: 112][kem] ?? 96
        let scalarByteCount = kem == .mlKEM1024P384 ? 48 : 32
        let expanded = shake.output(byteCount: count)
        expected += [expanded, Array(expanded.prefix(64)), Array(expanded[64..<64 + scalarByteCount])]
      }
      let secret = try SecretEvents.$observer.withValue(observer) {
        let key = try LatticeKEMPrivateKey(kem, seed: SecretBytes(copying: seed))
        let made = try key.publicKey.encapsulate()
        let secret = octets(made.sharedSecret)
        #expect(octets(try key.decapsulate(made.ciphertext)) == secret)
        return secret
      }
      let all = wiped.withLock { $0 }
      for secret in expected + [secret] { #expect(all.contains(secret)) }
    }
  #endif
}
