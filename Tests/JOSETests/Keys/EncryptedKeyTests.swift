import JOSE
import PureCrypto
import Testing

@Suite("Encrypted key files")
struct EncryptedKeyTests {
  private func pem(_ base64: String, lineEnd: String = "\n") -> String {
    ["-----BEGIN ENCRYPTED PRIVATE KEY-----", base64, "-----END ENCRYPTED PRIVATE KEY-----"].joined(separator: lineEnd)
  }

  @Test("files of others open with the password and with no other", arguments: EncryptedKeyFiles.all.map(\.name))
  func others(_ name: String) throws {
    let base64 = try #require(EncryptedKeyFiles.all.first { $0.name == name }).base64
    for lineEnd in ["\n", "\r\n", "\r"] {
      let key = try JWK(
        encryptedPEMRepresentation: pem(base64, lineEnd: lineEnd), password: EncryptedKeyFiles.password, keyID: "k")
      #expect(try key.thumbprint() == EncryptedKeyFiles.thumbprint && key.isPrivate && key.keyID == "k")
    }
    let der = try Base64.decode(base64)
    let key = try JWK(encryptedDERRepresentation: der, password: EncryptedKeyFiles.password)
    #expect(try key.thumbprint() == EncryptedKeyFiles.thumbprint)
    for wrong in ["correct horse A", "", "correct horse Å ", String(repeating: "long", count: 40)] {
      #expect(
        refusal { _ = try JWK(encryptedDERRepresentation: der, password: Array(wrong.utf8)) } == "decryptionFailed")
    }
  }

  @Test("what is not PBES2 with PBKDF2 and AES is refused by name")
  func otherSchemes() {
    for base64 in [EncryptedKeyFiles.scrypt, EncryptedKeyFiles.pbes1, EncryptedKeyFiles.tripleDES] {
      let text = pem(base64)
      #expect(
        refusal { _ = try JWK(encryptedPEMRepresentation: text, password: Array("x".utf8)) } == "algorithmUnsupported")
      // Without a password, the key is refused as encrypted, as it was.
      #expect(refusal { _ = try JWK(pemRepresentation: text) } == "algorithmUnsupported")
    }
    let plain = JWK.generate(.es256).privatePEMRepresentation ?? ""
    #expect(refusal { _ = try JWK(encryptedPEMRepresentation: plain, password: [1]) } == "malformed")
  }

  @Test("iterations are limited before any of them is run, at and one past the limit")
  func iterations() throws {
    let der = try Base64.decode(EncryptedKeyFiles.all[3].base64)
    func refused(_ limit: Int) -> String {
      refusal {
        _ = try JWK(
          encryptedDERRepresentation: der, password: EncryptedKeyFiles.password, maximumIterationCount: limit)
      }
    }
    #expect(refused(1000) == "accepted")
    #expect(refused(.max) == "accepted")
    for limit in [999, 0, -1, .min] { #expect(refused(limit) == "limitExceeded") }
    // 1000 iterations as 02 02 03 E8; the largest that four octets hold would take an hour.
    let place = try #require(der.indices.dropLast(3).first { Array(der[$0..<($0 + 4)]) == [2, 2, 3, 0xE8] })
    var none = der
    none.replaceSubrange(place..<(place + 4), with: [2, 2, 0, 0])
    #expect(refusal { _ = try JWK(encryptedDERRepresentation: none, password: [1]) } == "malformed")
    var most = der
    most.replaceSubrange(place..<(place + 4), with: [2, 2, 0x7F, 0xFF])
    #expect(
      refusal {
        _ = try JWK(encryptedDERRepresentation: most, password: [1], maximumIterationCount: 0x7FFE)
      } == "limitExceeded")
  }

  @Test("every shortened file and every changed octet is refused or opens the same key")
  func tampering() throws {
    let der = try Base64.decode(EncryptedKeyFiles.all[0].base64)
    for count in der.indices {
      #expect(
        (try? JWK(encryptedDERRepresentation: der[..<count], password: EncryptedKeyFiles.password)) == nil)
    }
    #expect((try? JWK(encryptedDERRepresentation: der + [0], password: EncryptedKeyFiles.password)) == nil)
    var changed = der
    for index in der.indices {
      changed[index] ^= 1
      let key = try? JWK(
        encryptedDERRepresentation: changed, password: EncryptedKeyFiles.password, maximumIterationCount: 1100)
      // Without a tag, an octet of the vector or the ciphertext may change what nobody looks at; never the key.
      if let key { #expect(try key.thumbprint() == EncryptedKeyFiles.thumbprint) }
      changed[index] ^= 1
    }
  }

  @Test(
    "every bit of the vector and of the ciphertext, flipped, gives one error or opens a key",
    arguments: [(EncryptedKeyFiles.all[0].base64, true), (EncryptedKeyFiles.ed25519, false)])
  func oneError(_ base64: String, hasPublicKey: Bool) throws {
    let der = try Base64.decode(base64)
    let password = EncryptedKeyFiles.password
    let own = try JWK(encryptedDERRepresentation: der, password: password).thumbprint()
    var wrong: JOSEError?
    do throws(JOSEError) { _ = try JWK(encryptedDERRepresentation: der, password: [1]) } catch { wrong = error }
    let expected = try #require(wrong)
    #expect(expected.code == .decryptionFailed)
    // The vector is the last OCTET STRING of 16 octets before the ciphertext, which goes to the end.
    let vector = try #require(der.indices.last { der[$0...].starts(with: [0x04, 0x10]) && $0 < 100 }) + 2
    let ciphertext = vector + 16 + (der[vector + 17] < 0x80 ? 2 : 3)
    var changed = der
    for place in Array(vector..<(vector + 16)) + Array(ciphertext..<der.count) {
      for bit in 0..<8 {
        changed[place] ^= 1 << bit
        do throws(JOSEError) {
          let key = try JWK(encryptedDERRepresentation: changed, password: password)
          // Nothing in a file without the public key shows that another private key came out.
          if hasPublicKey || place < ciphertext { #expect(try key.thumbprint() == own) }
        } catch {
          #expect(
            error.code == expected.code && error.name == expected.name && error.reason == expected.reason,
            "octet \(place - vector), bit \(bit): \(error)")
        }
        changed[place] ^= 1 << bit
      }
    }
  }

  @Test("a file with a key on secp256k1 opens")
  func secp256k1() throws {
    let der = try Base64.decode(EncryptedKeyFiles.secp256k1)
    let key = try JWK(encryptedDERRepresentation: der, password: EncryptedKeyFiles.password)
    #expect(key.curve == .secp256k1 && key.isPrivate)
    #expect(try key.thumbprint() == "kqNJCx2oKaBjCT-HdwNBId2qhtgmPJzX5dPC3vN_rL8")
  }

  @Test("a key of a kind that is not supported looks like a wrong password, and the error says that it may be one")
  func unsupportedKind() throws {
    let der = try Base64.decode(EncryptedKeyFiles.brainpool)
    let error = #expect(throws: JOSEError.self) {
      try JWK(encryptedDERRepresentation: der, password: EncryptedKeyFiles.password)
    }
    #expect(error?.code == .decryptionFailed && error?.reason.contains("not supported") == true)
  }
}
