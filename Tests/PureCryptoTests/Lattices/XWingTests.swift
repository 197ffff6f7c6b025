import PureCrypto
import Testing

@Suite("X-Wing")
struct XWingTests {
  private func octets(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }

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

  @Test("any other length is refused, and points of small order are")
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
    #expect(throws: CryptoError.self) { _ = try key.decapsulate(ciphertext.dropLast(32) + zero) }
    let weak = try XWingPublicKey(rawRepresentation: publicKey.dropLast(32) + zero)
    #expect(throws: CryptoError.self) { _ = try weak.encapsulate() }
    #expect("\(key)" == "XWingPrivateKey(redacted)")
  }
}
