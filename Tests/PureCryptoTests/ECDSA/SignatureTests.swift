import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("ECDSA") struct SignatureTests {
  static let n = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
  static let nMinus1 = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"

  @Test func signaturesVerify() throws {
    let key = P256PrivateKey()
    let prepared = key.publicKey.prepared()
    for length in 0..<130 {
      let message = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7) }
      for nonce in [ECDSANonceGeneration.hedged, .deterministic] {
        let signature = key.signature(for: message, nonce: nonce)
        #expect(key.publicKey.isValidSignature(signature, for: message))
        #expect(prepared.isValidSignature(signature, for: message))
        #expect(key.publicKey.isValidSignature(signature, forDigest: SHA2.SHA256.hash(message)))
        #expect(!key.publicKey.isValidSignature(signature, for: message + [0]))
        #expect(!prepared.isValidSignature(signature, for: message + [0]))
      }
    }
  }

  /// SIG-4: deterministic signatures repeat, hedged ones don't.
  @Test func nonces() {
    let key = P256PrivateKey()
    let message: [UInt8] = [1, 2, 3]
    #expect(key.signature(for: message, nonce: .deterministic) == key.signature(for: message, nonce: .deterministic))
    let hedged = (0..<20).map { _ in key.signature(for: message).rawRepresentation.prefix(32) }
    #expect(Set(hedged).count == 20)
    #expect(!hedged.contains(key.signature(for: message, nonce: .deterministic).rawRepresentation.prefix(32)))
  }

  @Test func everyFlippedBitIsNoticed() throws {
    let key = P256PrivateKey()
    let prepared = key.publicKey.prepared()
    let message: [UInt8] = Array("message".utf8)
    let raw = key.signature(for: message).rawRepresentation
    for bit in 0..<512 {
      var changed = raw
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      let signature = try P256Signature(rawRepresentation: changed)
      #expect(!key.publicKey.isValidSignature(signature, for: message))
      #expect(!prepared.isValidSignature(signature, for: message))
    }
    #expect(!P256PrivateKey().publicKey.isValidSignature(try P256Signature(rawRepresentation: raw), for: message))
  }

  /// SIG-1: r and s out of range, alone and together, whatever the message.
  @Test func rangeOfRAndS() throws {
    let key = P256PrivateKey()
    let prepared = key.publicKey.prepared()
    let values = [String(repeating: "0", count: 64), String(repeating: "0", count: 63) + "1", Self.nMinus1, Self.n]
    for r in values + [String(repeating: "f", count: 64)] {
      for s in values + [String(repeating: "f", count: 64)] {
        let signature = try P256Signature(rawRepresentation: hex(r + s))
        for message: [UInt8] in [[], [1]] {
          #expect(!key.publicKey.isValidSignature(signature, for: message))
          #expect(!prepared.isValidSignature(signature, for: message))
        }
      }
    }
  }

  /// SIG-3: (r, n − s) is valid as well.
  @Test func theOtherFormOfASignature() throws {
    let key = P256PrivateKey()
    let message: [UInt8] = [7]
    let raw = key.signature(for: message).rawRepresentation
    let other = try Array(raw[..<32]) + subtract(Array(raw[32...]), from: hex(Self.n))
    let signature = try P256Signature(rawRepresentation: other)
    #expect(other != raw)
    #expect(key.publicKey.isValidSignature(signature, for: message))
    #expect(key.publicKey.prepared().isValidSignature(signature, for: message))
  }

  private func subtract(_ b: [UInt8], from a: [UInt8]) -> [UInt8] {
    var borrow = 0
    var result = [UInt8](repeating: 0, count: a.count)
    for index in a.indices.reversed() {
      let difference = Int(a[index]) - Int(b[index]) - borrow
      result[index] = UInt8(truncatingIfNeeded: difference)
      borrow = difference < 0 ? 1 : 0
    }
    return result
  }

  /// SIG-1: x(R) may be n or more, and r is x(R) − n then. Wycheproof ecdsa_secp256r1_sha256_p1363_test, "k*G has a
  /// large x-coordinate".
  @Test func xCoordinateAboveTheOrder() throws {
    let key = try P256PublicKey(
      x963Representation: hex(
        "040ad99500288d466940031d72a9f5445a4d43784640855bf0a69874d2de5fe103"
          + "c5011e6ef2c42dcd50d5d3d29f99ae6eba2c80c9244f4c5422f0979ff0c3ba5e"))
    let message = try hex("313233343030")
    let s = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc63254e"
    let valid = try P256Signature(
      rawRepresentation: hex("000000000000000000000000000000004319055358e8617b0c46353d039cdaab" + s))
    #expect(key.isValidSignature(valid, for: message))
    #expect(key.prepared().isValidSignature(valid, for: message))
    // r = p − n would stand for x = p, r + n itself is out of range.
    for r in [
      "000000000000000000000000000000004319055358e8617b0c46353d039cdaae",
      "ffffffff00000001000000000000000000000000fffffffffffffffffffffffc",
    ] {
      let signature = try P256Signature(rawRepresentation: hex(r + s))
      #expect(!key.isValidSignature(signature, for: message))
      #expect(!key.prepared().isValidSignature(signature, for: message))
    }
  }

  @Test func preparedKeyKeepsItsKey() {
    let key = P256PrivateKey().publicKey
    #expect(key.prepared().publicKey == P256VerificationKey(key))
  }

  @Test(arguments: Array(0...63) + Array(65...130)) func rawSignaturesOfOtherLengths(_ count: Int) {
    #expect(throws: CryptoError.self) { try P256Signature(rawRepresentation: [UInt8](repeating: 1, count: count)) }
  }
}
