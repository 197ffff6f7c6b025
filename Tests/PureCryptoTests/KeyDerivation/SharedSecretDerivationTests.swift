import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("Keys derived from a shared secret")
struct SharedSecretDerivationTests {
  private static let z = testBytes(count: 32, seed: 5)
  private let secret = SharedSecret(SecretBytes(copying: z))

  /// Source: RFC 5869 appendix A.1, with its input keying material as Z.
  @Test("HKDF of RFC 5869, from a shared secret and from key material")
  func hkdf() throws {
    let material = SecretBytes(copying: [UInt8](repeating: 0x0b, count: 22))
    let (salt, info) = (try hex("000102030405060708090a0b0c"), try hex("f0f1f2f3f4f5f6f7f8f9"))
    let expected =
      "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    let derived = try SharedSecret(material).hkdfDerivedKey(SHA2.SHA256.self, salt: salt, info: info, byteCount: 42)
    #expect(derived.withUnsafeBytes { Hex.encode($0) } == expected)
    let alike = try HKDFSHA2<SHA2.SHA256>.deriveKey(
      inputKeyMaterial: material, salt: salt, info: info, byteCount: 42)
    #expect(alike.withUnsafeBytes { Hex.encode($0) } == expected)
  }

  @Test("HKDF expands nothing shorter than a digest")
  func shortPseudorandomKey() {
    #expect(throws: CryptoError(.invalidKeyLength, "")) {
      try HKDFSHA2<SHA2.SHA384>.expand(pseudorandomKey: .random(count: 47), info: [], byteCount: 16)
    }
  }

  @Test("a shared secret is the same as its own octets only")
  func sameness() {
    #expect(secret.isSame(as: SecretBytes(copying: Self.z)))
    #expect(!secret.isSame(as: SecretBytes(copying: Self.z.dropLast())))
    #expect(!secret.isSame(as: SecretBytes(copying: Self.z.map { $0 ^ 1 })))
  }

  @Test("a shared secret shows nothing")
  func redaction() {
    var dumped = ""
    dump(secret, to: &dumped)
    #expect("\(secret)" == "SharedSecret(redacted)")
    #expect(String(reflecting: secret) == "SharedSecret(redacted)")
    #expect(dumped == "▿ SharedSecret(redacted)\n  - description: \"SharedSecret(redacted)\"\n")
  }
}
