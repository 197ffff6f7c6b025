import PureCrypto
import PureJOSETestSupport
import Testing

/// RFC 6979 A.2.5: P-256 with SHA-256.
@Suite("RFC 6979 A.2.5") struct RFC6979Tests {
  static let privateKey = "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"
  static let x = "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
  static let y = "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"

  struct Vector: CustomTestStringConvertible, Sendable {
    let message: String
    let k: String
    let r: String
    let s: String
    var testDescription: String { message }
  }

  static let vectors = [
    Vector(
      message: "sample",
      k: "A6E3C57DD01ABE90086538398355DD4C3B17AA873382B0F24D6129493D8AAD60",
      r: "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
      s: "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"),
    Vector(
      message: "test",
      k: "D16B6AE827F17175E040871A1C7EC3500192C4C92677336EC2537ACAEE0008E0",
      r: "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367",
      s: "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"),
  ]

  @Test func publicKeyBelongsToThePrivateKey() throws {
    let key = try P256PrivateKey(rawRepresentation: hex(Self.privateKey))
    #expect(key.publicKey.x == (try hex(Self.x)))
    #expect(key.publicKey.y == (try hex(Self.y)))
  }

  @Test(arguments: vectors) func deterministicSignature(_ vector: Vector) throws {
    let key = try P256PrivateKey(rawRepresentation: hex(Self.privateKey))
    let signature = key.signature(for: vector.message.utf8, nonce: .deterministic)
    #expect(signature.rawRepresentation == (try hex(vector.r + vector.s)))
    #expect(key.publicKey.isValidSignature(signature, for: vector.message.utf8))
  }

  @Test(arguments: vectors) func signatureWithTheGivenNonce(_ vector: Vector) throws {
    let key = try P256PrivateKey(rawRepresentation: hex(Self.privateKey))
    let digest = SHA2.SHA256.hash(vector.message.utf8)
    let signature = try key.signature(forDigest: digest, givenNonce: hex(vector.k))
    #expect(signature.rawRepresentation == (try hex(vector.r + vector.s)))
  }

  @Test(arguments: ["", "00", "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"])
  func unusableNonceIsRefused(_ nonce: String) throws {
    let key = try P256PrivateKey(rawRepresentation: hex(Self.privateKey))
    #expect(throws: CryptoError.self) {
      try key.signature(forDigest: SHA2.SHA256.hash([]), givenNonce: hex(nonce))
    }
  }
}
