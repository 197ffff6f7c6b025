import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("AES_CBC_HMAC_SHA2")
struct AESCBCHMACTests {
  static let additionalData = testBytes(count: 37, seed: 7)
  static let vector = testBytes(count: 16, seed: 8)

  static func key(_ byteCount: Int) -> SecretBytes { SecretBytes(copying: testBytes(count: byteCount, seed: 9)) }

  @Test("CBC is the chain written out, on every backend", arguments: Backend.available, [16, 24, 32])
  func chain(backend: Backend, keyByteCount: Int) throws {
    let key = testBytes(count: keyByteCount, seed: 3)
    let reference = SlowAES(key: key)
    let cipher = try key.withUnsafeBytes { (key) in try AESCBC(key: key, backend: backend) }
    for blockCount in 0...20 {
      let plaintext = testBytes(count: 16 * blockCount, seed: UInt64(blockCount) + 1)
      var previous = Self.vector
      var expected: [UInt8] = []
      for block in 0..<blockCount {
        previous = reference.encrypt(zip(plaintext[(16 * block)..<(16 * block + 16)], previous).map { $0 ^ $1 })
        expected += previous
      }
      let ciphertext = try cipher.map(plaintext, initializationVector: Self.vector, isEncrypting: true)
      #expect(ciphertext == expected)
      #expect(try cipher.map(ciphertext, initializationVector: Self.vector, isEncrypting: false) == plaintext)
      let vector = Self.vector.withUnsafeBytes { $0.loadUnaligned(as: SIMD2<UInt64>.self) }
      let room = [UInt8](repeating: 0, count: plaintext.count)
      withGuardedBytes(plaintext, room, room) { areas in
        cipher.encrypt(UnsafeRawBufferPointer(areas[0]), to: areas[1], initializationVector: vector)
        #expect(Array(areas[1]) == expected)
        cipher.decrypt(UnsafeRawBufferPointer(areas[1]), to: areas[2], initializationVector: vector)
        #expect(Array(areas[2]) == plaintext)
      }
    }
  }

  @Test("every length comes back, one to sixteen bytes longer", arguments: [32, 48, 64])
  func lengths(keyByteCount: Int) throws {
    let cipher = try AESCBCHMAC(key: Self.key(keyByteCount))
    for count in 0...70 {
      let plaintext = testBytes(count: count, seed: UInt64(count) + 1)
      let sealed = try cipher.seal(
        plaintext, authenticating: Self.additionalData, initializationVector: Self.vector)
      #expect(sealed.ciphertext.count == (count / 16 + 1) * 16)
      #expect(sealed.authenticationTag.count == keyByteCount / 2)
      let opened = try cipher.open(
        ciphertext: sealed.ciphertext, authenticationTag: sealed.authenticationTag, initializationVector: Self.vector,
        authenticating: Self.additionalData)
      #expect(opened == plaintext)
    }
  }

  @Test("a flipped bit anywhere, and another length of anything, is the one error", arguments: [32, 48, 64])
  func tampering(keyByteCount: Int) throws {
    let cipher = try AESCBCHMAC(key: Self.key(keyByteCount))
    let sealed = try cipher.seal(
      testBytes(count: 40), authenticating: Self.additionalData, initializationVector: Self.vector)
    func requireRefusal(_ ciphertext: [UInt8], _ tag: [UInt8], _ vector: [UInt8], _ data: [UInt8]) {
      #expect(throws: CryptoError(.authenticationFailed, "")) {
        try cipher.open(
          ciphertext: ciphertext, authenticationTag: tag, initializationVector: vector, authenticating: data)
      }
    }
    let parts = [sealed.ciphertext, sealed.authenticationTag, Self.vector, Self.additionalData]
    for part in parts.indices {
      for index in parts[part].indices {
        var damaged = parts
        damaged[part][index] ^= 1 << UInt8(index & 7)
        requireRefusal(damaged[0], damaged[1], damaged[2], damaged[3])
      }
      for shorter in 0..<parts[part].count {
        var damaged = parts
        damaged[part] = Array(parts[part].prefix(shorter))
        requireRefusal(damaged[0], damaged[1], damaged[2], damaged[3])
      }
      var longer = parts
      longer[part].append(0)
      requireRefusal(longer[0], longer[1], longer[2], longer[3])
    }
  }

  /// A sender with the key can make any padding authentic.
  @Test("wrong padding under a right tag is the same error", arguments: [32, 48, 64])
  func padding(keyByteCount: Int) throws {
    let key = testBytes(count: keyByteCount, seed: 9)
    let cipher = try AESCBCHMAC(key: SecretBytes(copying: key))
    let chain = try key[(keyByteCount / 2)...].withUnsafeBytes { (key) in try AESCBC(key: key) }
    for last in 0...255 {
      var block = [UInt8](repeating: UInt8(last), count: 16)
      try judge(block, isRight: (1...16).contains(last))
      block[16 - max(1, min(last, 16))] ^= 0x80
      try judge(block, isRight: false)
    }
    func judge(_ block: [UInt8], isRight: Bool) throws {
      let ciphertext = try chain.map(block, initializationVector: Self.vector, isEncrypting: true)
      let message = Self.additionalData + Self.vector + ciphertext + [0, 0, 0, 0, 0, 0, 1, 0x28]
      let macKey = Array(key.prefix(keyByteCount / 2))
      let code =
        switch keyByteCount {
        case 32: Array(HMACSHA256.authenticate(message, anyKey: macKey))
        case 48: Array(HMACSHA384.authenticate(message, anyKey: macKey))
        default: Array(HMACSHA512.authenticate(message, anyKey: macKey))
        }
      let opened = try? cipher.open(
        ciphertext: ciphertext, authenticationTag: Array(code.prefix(keyByteCount / 2)),
        initializationVector: Self.vector, authenticating: Self.additionalData)
      #expect((opened != nil) == isRight)
    }
  }

  @Test("other key lengths are refused")
  func keyLengths() {
    for count in 0...70 where ![32, 48, 64].contains(count) {
      #expect(throws: CryptoError(.invalidKeyLength, "")) { try AESCBCHMAC(key: .random(count: count)) }
    }
  }
}
