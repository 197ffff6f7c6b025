import PureCrypto
import Testing

@Suite("RSAES-OAEP")
struct RSAEncryptionTests {
  private let paddings: [RSAEncryptionPadding] = [.oaepSHA1, .oaepSHA256, .oaepSHA384, .oaepSHA512]

  @Test("messages of every length keep, longer ones are refused")
  func roundTrip() throws {
    let key = try RSATests.key.get()
    for (padding, maximum) in zip(paddings, [214, 190, 158, 126]) {
      for count in [0, 1, 16, 64, maximum] {
        let message = [UInt8](repeating: 0, count: count)
        let ciphertext = try key.publicKey.encrypt(message, padding: padding)
        #expect(ciphertext.count == 256)
        #expect(try key.publicKey.encrypt(message, padding: padding) != ciphertext)
        #expect(try key.decrypt(ciphertext, padding: padding).withUnsafeBytes { Array($0) } == message)
      }
      #expect(throws: CryptoError(.lengthLimitExceeded, "")) {
        try key.publicKey.encrypt([UInt8](repeating: 0, count: maximum + 1), padding: padding)
      }
    }
  }

  @Test("whatever is wrong with a ciphertext, the error is the same")
  func oneError() throws {
    let key = try RSATests.key.get()
    let ciphertext = try key.publicKey.encrypt([1, 2, 3], padding: .oaepSHA256)
    var wrong: [[UInt8]] = [[], Array(ciphertext.dropLast()), [0] + ciphertext, key.publicKey.modulus]
    for position in stride(from: 0, to: 256, by: 31) {
      var changed = ciphertext
      changed[position] ^= 1
      wrong.append(changed)
    }
    var descriptions: Set<String> = []
    for ciphertext in wrong {
      do throws(CryptoError) {
        _ = try key.decrypt(ciphertext, padding: .oaepSHA256)
        Issue.record("a wrong ciphertext was accepted")
      } catch {
        descriptions.insert(error.description)
      }
    }
    #expect(throws: CryptoError(.decryptionFailed, "")) { try key.decrypt(ciphertext, padding: .oaepSHA1) }
    #expect(descriptions.count == 1)
  }

  @Test("a key of the wrong length or a damaged one becomes a random key of the right length")
  func substitution() throws {
    let key = try RSATests.key.get()
    let secret = [UInt8](repeating: 7, count: 32)
    let ciphertext = try key.publicKey.encrypt(secret, padding: .oaepSHA1)
    func decrypted(_ ciphertext: [UInt8], _ count: Int) -> [UInt8] {
      key.decryptKey(ciphertext, padding: .oaepSHA1, byteCount: count).withUnsafeBytes { Array($0) }
    }
    #expect(decrypted(ciphertext, 32) == secret)
    #expect(decrypted(ciphertext, 16).count == 16 && decrypted(ciphertext, 16) != decrypted(ciphertext, 16))
    #expect(decrypted(ciphertext, 16) != Array(secret.prefix(16)))
    #expect(decrypted(ciphertext, 64).count == 64 && decrypted(ciphertext, 64) != decrypted(ciphertext, 64))
    var damaged = ciphertext
    damaged[100] ^= 1
    for wrong in [damaged, [], Array(ciphertext.dropLast())] {
      #expect(decrypted(wrong, 32).count == 32)
      #expect(decrypted(wrong, 32) != decrypted(wrong, 32))
    }
  }
}
