import PureCrypto

/// AES-GCM, AES_CBC_HMAC_SHA2 and ChaCha20-Poly1305: opening, and sealing when the test is right.
struct AEADGroup: VectorGroup {
  private enum Cipher {
    case gcm
    /// AES-CBC with HMAC.
    case composite
    case chacha

    init?(_ algorithm: String) {
      switch algorithm {
      case "AES-GCM": self = .gcm
      case "A128CBC-HS256", "A192CBC-HS384", "A256CBC-HS512": self = .composite
      case "CHACHA20-POLY1305": self = .chacha
      default: return nil
      }
    }
  }

  private let cipher: Cipher
  private let keySize: Int
  private let ivSize: Int
  private let tagSize: Int

  private struct Test {
    let key, initializationVector, additionalData, plaintext, ciphertext, tag: [UInt8]

    /// What is wrong with the outcome of opening and of sealing; nil if nothing. Of a tag that was cut, the rest is not
    /// known.
    func objection(
      to opened: [UInt8], _ sealed: (ciphertext: [UInt8], authenticationTag: [UInt8])
    ) -> Verdict? {
      guard opened == plaintext else { return .wrong("the plaintext differs") }
      let isRight = sealed.ciphertext == ciphertext && sealed.authenticationTag.starts(with: tag)
      return isRight ? nil : .wrong("sealing gives another ciphertext or tag")
    }
  }

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    let algorithm = try group.string(ifPresent: "algorithm") ?? file.algorithm
    guard let cipher = Cipher(algorithm) else { throw .notImplemented(algorithm) }
    self.cipher = cipher
    keySize = try group.integer("keySize")
    ivSize = try group.integer("ivSize")
    tagSize = try group.integer("tagSize")
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let test = Test(
      key: try test.octets("key"), initializationVector: try test.octets("iv"), additionalData: try test.octets("aad"),
      plaintext: try test.octets("msg"), ciphertext: try test.octets("ct"), tag: try test.octets("tag"))
    // A mode with one fixed length can only refuse another length.
    guard cipher == .composite || test.key.count * 8 == keySize && test.initializationVector.count * 8 == ivSize else {
      throw VectorFault.malformed("key or initialization vector is not as long as the group says")
    }
    switch cipher {
    case .composite: return try judgeComposite(test)
    case .chacha: return try judgeChaCha(test)
    case .gcm:
      let key = try AESGCM(key: test.key)
      return tagSize == 128 ? try judge(test, key) : try judgeShortTag(test, key)
    }
  }

  /// On every backend that the machine has.
  private func judgeChaCha(_ test: Test) throws(CryptoError) -> Verdict {
    let nonce = try ChaCha20Poly1305.Nonce(test.initializationVector)
    for backend in Backend.available {
      let key = try ChaCha20Poly1305(key: SecretBytes(copying: test.key), backend: backend)
      let opened = try key.open(
        ciphertext: test.ciphertext, authenticationTag: test.tag, nonce: nonce, authenticating: test.additionalData)
      let box = try key.seal(test.plaintext, authenticating: test.additionalData, uniqueNonce: nonce)
      let sealed = (box.ciphertext, box.authenticationTag)
      if let objection = test.objection(to: opened, sealed) { return objection }
    }
    return .accepted
  }

  /// On every backend that the machine has.
  private func judgeComposite(_ test: Test) throws(CryptoError) -> Verdict {
    for backend in Backend.available {
      let key = try AESCBCHMAC(key: SecretBytes(copying: test.key), backend: backend)
      let opened = try key.open(
        ciphertext: test.ciphertext, authenticationTag: test.tag, initializationVector: test.initializationVector,
        authenticating: test.additionalData)
      let sealed = try key.seal(
        test.plaintext, authenticating: test.additionalData, initializationVector: test.initializationVector)
      let parts = (sealed.ciphertext, sealed.authenticationTag)
      if let objection = test.objection(to: opened, parts) { return objection }
    }
    return .accepted
  }

  /// The public interface takes initialization vectors of 96 bits only. Others go through the one kept for vectors.
  private func judge(_ test: Test, _ key: AESGCM) throws(CryptoError) -> Verdict {
    if let objection = try objection(test, key) { return objection }
    guard test.initializationVector.count == AESGCM.InitializationVector.byteCount else { return .accepted }
    let vector = try AESGCM.InitializationVector(test.initializationVector)
    let publiclyOpened = try key.open(
      ciphertext: test.ciphertext, authenticationTag: test.tag, initializationVector: vector,
      authenticating: test.additionalData)
    let box = try key.seal(
      test.plaintext, authenticating: test.additionalData, uniqueInitializationVector: vector)
    let sealed = (Array(box.ciphertext), Array(box.authenticationTag))
    if let objection = test.objection(to: publiclyOpened, sealed) { return objection }
    var inPlace = test.plaintext
    let tag = try key.sealInPlace(
      &inPlace, authenticating: test.additionalData, uniqueInitializationVector: vector)
    guard inPlace == test.ciphertext, Array(tag) == test.tag else { return .wrong("sealing in place differs") }
    return .accepted
  }

  /// The public interface takes tags of 128 bits only. Shorter ones open through the one kept for vectors.
  private func judgeShortTag(_ test: Test, _ key: AESGCM) throws -> Verdict {
    guard test.tag.count * 8 == tagSize else { return .refused("\(CryptoError.Code.invalidTagLength)") }
    let isRefused = try verdict {
      _ = try key.open(
        ciphertext: test.ciphertext, authenticationTag: test.tag,
        initializationVector: AESGCM.InitializationVector(test.initializationVector),
        authenticating: test.additionalData)
      return .accepted
    }
    guard case .refused = isRefused else { return .wrong("a tag of \(tagSize) bits was accepted") }
    return try objection(test, key) ?? .accepted
  }

  /// What is wrong on the way that is kept for vectors.
  private func objection(_ test: Test, _ key: AESGCM) throws(CryptoError) -> Verdict? {
    let opened = try key.open(
      ciphertext: test.ciphertext, truncatedTag: test.tag, anyInitializationVector: test.initializationVector,
      authenticating: test.additionalData)
    let sealed = try key.seal(
      test.plaintext, authenticating: test.additionalData, anyInitializationVector: test.initializationVector)
    return test.objection(to: opened, sealed)
  }
}
