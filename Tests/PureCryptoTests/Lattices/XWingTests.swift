import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("X-Wing")
struct XWingTests {
  private func octets(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }

  /// Seed, randomness (message ‖ private key of X25519), secret; SHA3-256 of public key and ciphertext.
  /// Source: draft-connolly-cfrg-xwing-kem-09, appendix C.
  private static let figures: [(seed: String, randomness: String, secret: String, key: String, ciphertext: String)] = [
    (
      "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26",
      "3cb1eea988004b93103cfb0aeefd2a686e01fa4a58e8a3639ca8a1e3f9ae57e2"
        + "35b8cc873c23dc62b8d260169afa2f75ab916a58d974918835d25e6a435085b2",
      "d2df0522128f09dd8e2c92b1e905c793d8f57a54c3da25861f10bf4ca613e384",
      "5121745904643ad9dfacca7869292c19a8a69533b53e60666b7db910b4ad6367",
      "c0abd149f83f45324ac3a7ddc7606c71f257e5ea86113522834a0ee1bcb34e3e"
    ),
    (
      "badfd6dfaac359a5efbb7bcc4b59d538df9a04302e10c8bc1cbf1a0b3a5120ea",
      "17cda7cfad765f5623474d368ccca8af0007cd9f5e4c849f167a580b14aabdef"
        + "aee7eef47cb0fca9767be1fda69419dfb927e9df07348b196691abaeb580b32d",
      "f2e86241c64d60f6649fbc6c5b7d17180b780a3f34355e64a85749949c45f150",
      "799b6016e5daa56ffa1b5e79f7caf73413ceecd6df428642404cac41ddee4853",
      "7680b7ba47ae09bac4b43001edcef9d98e50df20026e70ba6a424447e1f2b961"
    ),
    (
      "ef58538b8d23f87732ea63b02b4fa0f4873360e2841928cd60dd4cee8cc0d4c9",
      "22a96188d032675c8ac850933c7aff1533b94c834adbb69c6115bad4692d8619"
        + "f90b0cdf8a7b9c264029ac185b70b83f2801f2f4b3f70c593ea3aeeb613a7f1b",
      "953f7f4e8c5b5049bdc771d1dffada0dd961477d1a2ae0988baa7ea6898d893f",
      "1ef0c99a06026450564957a5402a788feffbbefdcce55d25de254d0a49eb095a",
      "3088688d63201d5d844170b79f148b2791c15f346ff6f8bd559807fbd442f91f"
    ),
  ]

  @Test("the draft's vectors come out", arguments: figures.indices)
  func draftVectors(index: Int) throws {
    let figure = Self.figures[index]
    let randomness = try hex(figure.randomness)
    let key = try XWingPrivateKey(seed: SecretBytes(copying: try hex(figure.seed)))
    #expect(SHA3.hash(key.publicKey.rawRepresentation, .bits256) == (try hex(figure.key)))
    let (secret, ciphertext) = try LatticeKEMPublicKey(
      .mlKEM768X25519, rawRepresentation: key.publicKey.rawRepresentation
    ).encapsulate(randomness: SecretBytes(copying: randomness))
    #expect(SHA3.hash(ciphertext, .bits256) == (try hex(figure.ciphertext)))
    #expect(octets(secret) == (try hex(figure.secret)))
    #expect(octets(try key.decapsulate(ciphertext)) == octets(secret))
  }

  @Test("both sides learn the same secret; a change of either part gives another")
  func roundTrip() throws {
    let key = XWingPrivateKey()
    let publicKey = try XWingPublicKey(rawRepresentation: key.publicKey.rawRepresentation)
    #expect(publicKey == key.publicKey && publicKey != XWingPrivateKey().publicKey)
    #expect(try XWingPrivateKey(seed: key.seed).publicKey == publicKey)
    for _ in 0..<20 {
      let (secret, ciphertext) = try publicKey.encapsulate()
      #expect(secret.count == 32 && ciphertext.count == 1120)
      #expect(octets(try key.decapsulate(ciphertext)) == octets(secret))
      for place in [0, 1087, 1088, 1100] {
        var changed = ciphertext
        changed[place] ^= 2
        #expect(octets(try key.decapsulate(changed)) != octets(secret), "octet \(place)")
      }
    }
  }

  /// The draft's decapsulation can't fail: the secret is what is made of the one of ML-KEM and of zeros.
  @Test("a ciphertext with a point of small order gives the secret that the draft says, and X25519 refuses the point")
  func smallOrder() throws {
    let key = try XWingPrivateKey(seed: SecretBytes(copying: testBytes(count: 32)))
    var shake = SHAKE.shake256
    shake.update(testBytes(count: 32))
    let seeds = shake.output(byteCount: 96)
    let lattice = try MLKEMPrivateKey(.mlKEM768, seed: SecretBytes(copying: seeds.prefix(64)))
    let curve = try X25519PrivateKey(rawRepresentation: seeds.dropFirst(64))
    let ciphertext = try key.publicKey.encapsulate().ciphertext
    for u in [0, 1] as [UInt8] {
      let point = [u] + [UInt8](repeating: 0, count: 31)
      let parts =
        octets(try lattice.decapsulate(ciphertext.prefix(1088))) + [UInt8](repeating: 0, count: 32) + point
        + curve.publicKey.rawRepresentation + Array(#"\.//^\"#.utf8)
      #expect(octets(try key.decapsulate(ciphertext.prefix(1088) + point)) == SHA3.hash(parts, .bits256))
      #expect(throws: CryptoError(.invalidPublicKey, "")) {
        _ = try curve.sharedSecret(with: X25519PublicKey(rawRepresentation: point))
      }
    }
  }

  @Test("any other length is refused, and public keys with a point of small order are")
  func refusals() throws {
    let key = XWingPrivateKey()
    let (publicKey, ciphertext) = (key.publicKey.rawRepresentation, try key.publicKey.encapsulate().ciphertext)
    for other in [Array(publicKey.dropLast()), publicKey + [0], [], Array(publicKey.prefix(1184))] {
      #expect(throws: CryptoError.self) { _ = try XWingPublicKey(rawRepresentation: other) }
    }
    for other in [Array(ciphertext.dropLast()), ciphertext + [0], []] {
      #expect(throws: CryptoError.self) { _ = try key.decapsulate(other) }
    }
    for count in [0, 31, 33] {
      #expect(throws: CryptoError.self) { _ = try XWingPrivateKey(seed: .random(count: count)) }
    }
    let zero = [UInt8](repeating: 0, count: 32)
    let weak = try XWingPublicKey(rawRepresentation: publicKey.dropLast(32) + zero)
    #expect(throws: CryptoError.self) { _ = try weak.encapsulate() }
    #expect("\(key)" == "XWingPrivateKey(redacted)")
  }
}
