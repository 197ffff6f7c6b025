import PureCrypto
import PureJOSETestSupport
import Testing

/// What doesn't compile, `Tests/Clients/misuse` looks at.
@Suite("Keys by use")
struct KeyUseTests {
  @Test("a key that is read for both uses is one key, on each curve")
  func curves() throws {
    try check(P256Curve.self)
    try check(P384Curve.self)
    try check(P521Curve.self)
    try check(Secp256k1Curve.self)
  }

  private func check<Curve: EllipticCurve>(_: Curve.Type) throws {
    let signer = ECPrivateKey<Curve, KeyUse.Signing>()
    let own = try ECPrivateKey<Curve, KeyUse.Agreement>(rawRepresentation: signer.rawRepresentation)
    #expect(own.publicKey.x963Representation == signer.publicKey.x963Representation)
    #expect(ECPublicKey<Curve, KeyUse.Signing>(own.publicKey) == signer.publicKey)
    #expect(signer.publicKey.isValidSignature(signer.signature(for: [1]), for: [1]))
    let other = ECPrivateKey<Curve, KeyUse.Agreement>()
    let shared = try own.sharedSecret(with: other.publicKey)
    let same = try other.sharedSecret(with: own.publicKey)
    #expect(shared.withUnsafeBytes { Array($0) } == same.withUnsafeBytes { Array($0) })
    #expect(ECPrivateKey<Curve, KeyUse.Agreement>(ECPrivateKey<Curve, KeyUse.All>(own)).publicKey == own.publicKey)
  }

  @Test("an RSA key does through each use what the key material does")
  func rsa() throws {
    let signer = try RSASigningKey(bitCount: 2048)
    let der = try #require(signer.derRepresentation).withUnsafeBytes { Array($0) }
    let decryptor = try RSADecryptionKey(derRepresentation: der)
    let pem = try #require(decryptor.pemRepresentation)
    #expect(try RSASigningKey(pemRepresentation: pem).publicKey == signer.publicKey)
    #expect(signer.description == "RSAPrivateKey(2048 bits, redacted)")
    let verifier = signer.publicKey
    for padding in [RSASignaturePadding.pkcs1v15, .pss] {
      let signature = try signer.signature(for: [1], padding: padding, function: SHA2.SHA384.self)
      #expect(verifier.isValidSignature(signature, for: [1], padding: padding, function: SHA2.SHA384.self))
      #expect(!verifier.isValidSignature(signature, for: [2], padding: padding, function: SHA2.SHA384.self))
      let digest = SHA2.SHA256.hash([1])
      let ofDigest = try signer.signature(forDigest: digest, padding: padding, function: SHA2.SHA256.self)
      #expect(verifier.isValidSignature(ofDigest, forDigest: digest, padding: padding, function: SHA2.SHA256.self))
    }
    let recipient = decryptor.publicKey
    for ciphertext in [
      try recipient.encrypt([1, 2], padding: .oaepSHA256),
      try recipient.encrypt(SecretBytes(copying: [1, 2]), padding: .oaepSHA256),
    ] {
      #expect(try decryptor.decrypt(ciphertext, padding: .oaepSHA256).withUnsafeBytes { Array($0) } == [1, 2])
    }
    let copies = [
      try RSAEncryptionKey(modulus: recipient.modulus, exponent: recipient.publicExponent),
      try RSAEncryptionKey(derRepresentation: recipient.pkcs1Representation),
      try RSAEncryptionKey(derRepresentation: recipient.derRepresentation),
      try RSAEncryptionKey(pemRepresentation: recipient.pemRepresentation),
    ]
    #expect(copies.allSatisfy { $0 == recipient } && Set(copies).count == 1)
    #expect(recipient.bitCount == 2048 && recipient.byteCount == 256)
    #expect(RSAEncryptionKey.bitCounts == 2048...8192)
  }
}
