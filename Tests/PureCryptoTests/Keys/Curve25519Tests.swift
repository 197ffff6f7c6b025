import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("X25519 and Ed25519")
struct Curve25519Tests {
  private let message = Array("message".utf8)

  @Test("both sides agree on the same secret")
  func agreement() throws {
    for _ in 0..<20 {
      let (alice, bob) = (X25519PrivateKey(), X25519PrivateKey())
      let secret = try alice.sharedSecret(with: bob.publicKey).withUnsafeBytes { Array($0) }
      #expect(try bob.sharedSecret(with: alice.publicKey).withUnsafeBytes { Array($0) } == secret)
      #expect(secret.count == 32)
    }
  }

  @Test("points of small order give no secret")
  func smallOrder() throws {
    let zeros = [UInt8](repeating: 0, count: 32)
    let orders: [[UInt8]] = [
      zeros, [1] + zeros.dropFirst(),
      // p − 1, p and p + 1
      [0xec] + [UInt8](repeating: 0xff, count: 30) + [0x7f], [0xed] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
      [0xee] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
    ]
    for encoded in orders {
      for highBit: UInt8 in [0, 0x80] {
        var encoded = encoded
        encoded[31] |= highBit
        let key = try X25519PublicKey(rawRepresentation: encoded)
        #expect(key.rawRepresentation == encoded)
        #expect(throws: CryptoError(.invalidPublicKey, "")) { try X25519PrivateKey().sharedSecret(with: key) }
      }
    }
  }

  @Test("what is signed verifies, and nothing else does")
  func signAndVerify() throws {
    let key = Ed25519PrivateKey()
    let signature = key.signature(for: message)
    #expect(key.signature(for: message) == signature)
    #expect(key.publicKey.isValidSignature(signature, for: message))
    #expect(!key.publicKey.isValidSignature(signature, for: message + [0]))
    #expect(!Ed25519PrivateKey().publicKey.isValidSignature(signature, for: message))
    for position in 0..<64 {
      var changed = signature
      changed[position] ^= 1
      #expect(!key.publicKey.isValidSignature(changed, for: message))
    }
    for count in [0, 32, 63] { #expect(!key.publicKey.isValidSignature(signature.prefix(count), for: message)) }
    #expect(!key.publicKey.isValidSignature(signature + [0], for: message))
  }

  @Test("S + L is refused")
  func malleability() throws {
    let order: [UInt8] = [
      0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ]
    let key = Ed25519PrivateKey()
    var signature = key.signature(for: message)
    var carry = 0
    for position in 0..<32 {
      carry += Int(signature[32 + position]) + Int(order[position])
      signature[32 + position] = UInt8(carry & 0xff)
      carry >>= 8
    }
    #expect(carry == 0)
    #expect(!key.publicKey.isValidSignature(signature, for: message))
  }

  @Test("only canonical encodings of points are keys")
  func decoding() throws {
    let ones = [UInt8](repeating: 0xff, count: 30)
    let zeros = [UInt8](repeating: 0, count: 30)
    // y = p, p + 1 and 2²⁵⁵ − 1; x = 0 with its sign bit; y = 2, where the curve has no point
    let invalid: [[UInt8]] = [
      [0xed] + ones + [0x7f], [0xee] + ones + [0x7f], [0xff] + ones + [0x7f], [1] + zeros + [0x80], [2] + zeros + [0],
    ]
    for encoded in invalid {
      #expect(throws: CryptoError(.invalidPublicKey, "")) { try Ed25519PublicKey(rawRepresentation: encoded) }
    }
    let base = [0x58] + [UInt8](repeating: 0x66, count: 31)
    #expect(try Ed25519PublicKey(rawRepresentation: base).rawRepresentation == base)
    for count in [0, 31, 33] {
      let octets = [UInt8](repeating: 0, count: count)
      #expect(throws: CryptoError.self) { try Ed25519PublicKey(rawRepresentation: octets) }
      #expect(throws: CryptoError.self) { try Ed25519PrivateKey(rawRepresentation: octets) }
      #expect(throws: CryptoError.self) { try X25519PublicKey(rawRepresentation: octets) }
      #expect(throws: CryptoError.self) { try X25519PrivateKey(rawRepresentation: octets) }
    }
  }

  /// The points whose order divides 8, with both signs of x where there are two: y = 0, 1, −1 and the four roots that
  /// order 8 has.
  static let pointsOfSmallOrder = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
  ]

  @Test("points of small order are no public keys of Ed25519, in any form", arguments: pointsOfSmallOrder)
  func smallOrderKeys(encoded: String) throws {
    let octets = try hex(encoded)
    let expected = CryptoError(.invalidPublicKey, "")
    #expect(throws: expected) { try Ed25519PublicKey(rawRepresentation: octets) }
    // SubjectPublicKeyInfo of RFC 8410 §4.
    let der = try hex("302a300506032b6570032100") + octets
    #expect(throws: expected) { try Ed25519PublicKey(derRepresentation: der) }
    // A private key that brings such a public key with it.
    let pair = try hex("3051020101300506032b657004220420") + [UInt8](repeating: 7, count: 32) + hex("812100") + octets
    #expect(throws: CryptoError.self) { try Ed25519PrivateKey(derRepresentation: pair) }
  }

  @Test("key files of one algorithm are not those of the other, and no damage traps")
  func keyFiles() throws {
    let (signing, agreement) = (Ed25519PrivateKey(), X25519PrivateKey())
    #expect(throws: CryptoError(.unsupportedKey, "")) {
      try X25519PrivateKey(pemRepresentation: signing.pemRepresentation)
    }
    #expect(throws: CryptoError(.unsupportedKey, "")) {
      try Ed25519PublicKey(derRepresentation: agreement.publicKey.derRepresentation)
    }
    let der = signing.derRepresentation.withUnsafeBytes { Array($0) }
    #expect(der.count == 48)
    #expect(try Ed25519PrivateKey(derRepresentation: der).publicKey == signing.publicKey)
    for count in 0..<48 {
      #expect(throws: CryptoError.self) { try Ed25519PrivateKey(derRepresentation: der[..<count]) }
    }
    // Byte 4 is the version, of which 0 and 1 are both right.
    for position in 0..<16 where position != 4 {
      var changed = der
      changed[position] ^= 0x01
      #expect(throws: CryptoError.self) { try Ed25519PrivateKey(derRepresentation: changed) }
    }
  }

  @Test("descriptions show no secret")
  func redaction() {
    var shown = ""
    dump(Ed25519PrivateKey(), to: &shown)
    dump(X25519PrivateKey(), to: &shown)
    #expect("\(Ed25519PrivateKey()) \(X25519PrivateKey())" == "Ed25519PrivateKey(redacted) X25519PrivateKey(redacted)")
    #expect(!shown.contains("seed") && !shown.contains("secret"))
  }
}
