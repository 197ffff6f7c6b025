import Testing

@testable import PureCrypto

/// Encodings that one rule alone refuses, under the power that belongs to them.
@Suite("Rules of RSA's encodings") struct RSAEncodingRuleTests {
  private let digest = SHA2.SHA256.hash([1, 2, 3])

  @Test func `one octet of an encoding of PSS decides alone`() throws {
    let key = try RSATests.key.get()
    // DB has 223 octets: 190 zeros, 01, and the salt. H has 32, and one more is the last.
    for (place, change): (Int, UInt8) in [
      (255, 0x01), (0, 0x80), (0, 0x01), (1, 0x01), (189, 0x80), (190, 0x02), (254, 0x01),
    ] {
      var isTried = false
      // A set first bit may make a number of n or more, depending on the salt.
      for _ in 0..<200 where !isTried {
        var encoded = [UInt8](repeating: 0, count: 256)
        let salt = SystemRandom.bytes(count: 32)
        encoded.withUnsafeMutableBytes { encoded in
          salt.withUnsafeBytes { salt in
            PSSEncoding.encode(
              digest, salt: salt, function: SHA2.SHA256.self, modulusBitCount: 2048, into: encoded)
          }
        }
        #expect(isValid(signature(encoded, key), key) == true)
        encoded[place] ^= change
        guard let verdict = isValid(signature(encoded, key), key) else { continue }
        #expect(!verdict, "octet \(place)")
        isTried = true
      }
      #expect(isTried)
    }
  }

  @Test func `a signature without its leading zero is refused`() throws {
    let key = try RSATests.key.get()
    for counter in 0..<5000 {
      let message = Array("\(counter)".utf8)
      let signature = try key.signature(for: message, padding: .pkcs1v15, function: SHA2.SHA256.self)
      guard signature[0] == 0 else { continue }
      let isValid = { (signature: [UInt8]) in
        key.publicKey.isValidSignature(signature, for: message, padding: .pkcs1v15, function: SHA2.SHA256.self)
      }
      #expect(isValid(signature))
      #expect(!isValid(Array(signature.dropFirst())))
      return
    }
    Issue.record("no signature begins with zero")
  }

  @Test func `a ciphertext without its leading zero is refused`() throws {
    let key = try RSATests.key.get()
    for _ in 0..<5000 {
      let ciphertext = try key.publicKey.encrypt([1, 2, 3], padding: .oaepSHA256)
      guard ciphertext[0] == 0 else { continue }
      #expect(throws: Never.self) { try key.decrypt(ciphertext, padding: .oaepSHA256) }
      #expect(throws: CryptoError(.decryptionFailed, "")) {
        try key.decrypt(Array(ciphertext.dropFirst()), padding: .oaepSHA256)
      }
      return
    }
    Issue.record("no ciphertext begins with zero")
  }

  @Test(arguments: [RSAEncryptionPadding.oaepSHA1, .oaepSHA256])
  func `one octet of an encoding of OAEP decides alone`(_ padding: RSAEncryptionPadding) throws {
    let key = try RSATests.key.get()
    let hashCount = padding.digestByteCount
    // The message is empty, so that 01 is the last octet: without it no octet ends the zeros.
    let last = 255
    for (place, change): (Int, UInt8) in [(0, 0), (0, 1), (1 + hashCount, 1), (last, 2), (last, 1), (last - 1, 2)] {
      var encoded = [UInt8](repeating: 0, count: 256)
      encoded.withUnsafeMutableBytes { encoded in
        OAEPEncoding(padding: padding).encode(UnsafeRawBufferPointer(start: nil, count: 0), into: encoded)
        let seed = UnsafeMutableRawBufferPointer(rebasing: encoded[1..<(1 + hashCount)])
        let data = UnsafeMutableRawBufferPointer(rebasing: encoded[(1 + hashCount)...])
        // DB is changed under its mask, and the seed keeps its value.
        padding.mask(seed, seed: UnsafeRawBufferPointer(data))
        encoded[place] ^= change
        padding.mask(seed, seed: UnsafeRawBufferPointer(data))
      }
      let ciphertext = encoded.withUnsafeBytes { key.publicKey.withPower(of: $0) { Array($0) } }
      let message = try? key.decrypt(ciphertext ?? [], padding: padding)
      #expect((message != nil) == (change == 0), "octet \(place), \(change)")
    }
  }

  /// The power that makes a signature of an encoding; nil for one that is not below n.
  private func signature(_ encoded: [UInt8], _ key: AnyRSAPrivateKey) -> [UInt8]? {
    encoded.withUnsafeBytes { key.withPower(of: $0) { Array($0) } }
  }

  private func isValid(_ signature: [UInt8]?, _ key: AnyRSAPrivateKey) -> Bool? {
    signature?.withUnsafeBytes {
      key.publicKey.isValidPSSSignature($0, digest: digest, saltByteCount: 32, function: SHA2.SHA256.self)
    }
  }
}
