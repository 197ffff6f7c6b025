import JOSE
import PureCrypto

/// Wycheproof's RSAES-OAEP.
struct WycheproofRSAOAEPGroup: VectorGroup {
  private let key: AnyRSAPrivateKey
  private let padding: RSAEncryptionPadding

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    let function = try group.string("sha")
    guard try group.string("mgf") == "MGF1", try group.string("mgfSha") == function else {
      throw .notImplemented("OAEP with another mask function")
    }
    padding = try group.oaepPadding()
    let numbers = try group.object("privateKey")
    let pkcs8 = try group.octets("privateKeyPkcs8")
    let pem = try group.string("privateKeyPem")
    do throws(CryptoError) {
      key = try AnyRSAPrivateKey(derRepresentation: pkcs8)
      guard try AnyRSAPrivateKey(pemRepresentation: pem).publicKey == key.publicKey,
        key.derRepresentation?.octets == pkcs8
      else { throw CryptoError(.invalidPrivateKey, "its forms are different keys") }
    } catch {
      throw .malformed("the private key: \(error)")
    }
    guard try group.integer("keySize") == key.publicKey.bitCount else {
      throw .malformed("keySize is not that of the modulus")
    }
    try key.requireSame(numbers)
    if let jwk = try group.jsonObject(ifPresent: "privateKeyJwk") {
      guard case .privateKey(.rsa(let copy))? = try? JWK(jwk).material, copy.publicKey == key.publicKey else {
        throw .malformed("privateKeyJwk is another key")
      }
    }
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let message = try test.octets("msg")
    let ciphertext = try test.octets("ct")
    let label = try test.octets("label")
    let decrypted = try decrypt(ciphertext, label: label).octets
    guard decrypted == message else { return .wrong("the message differs") }
    if label.isEmpty, message.count <= 128 {
      let known = key.decryptKey(ciphertext, padding: padding, byteCount: message.count)
      guard known.octets == message else { return .wrong("as a key it differs") }
    }
    // What is encrypted anew decrypts too.
    let renewed = try unsafe withContiguousBytes(message) { message throws(CryptoError) in
      try unsafe withContiguousBytes(label) { label throws(CryptoError) in
        try unsafe key.publicKey.encrypt(message, padding: padding, label: label)
      }
    }
    return .accepted(
      if: try decrypt(renewed, label: label).octets == message,
      otherwise: "encrypting and decrypting gives another message")
  }

  private func decrypt(_ ciphertext: [UInt8], label: [UInt8]) throws(CryptoError) -> SecretBytes {
    try unsafe withContiguousBytes(ciphertext) { ciphertext throws(CryptoError) in
      try unsafe withContiguousBytes(label) { label throws(CryptoError) in
        try unsafe key.decrypt(ciphertext, padding: padding, label: label)
      }
    }
  }
}

extension AnyRSAPrivateKey {
  /// Requires that the integers of a group are those of this key.
  fileprivate func requireSame(_ numbers: MemberReader) throws(VectorFault) {
    // Integers as Java writes them: a zero octet in front where the highest bit is set.
    func significant(_ name: String) throws(VectorFault) -> [UInt8] {
      Array(try numbers.octets(name).drop { $0 == 0 })
    }
    let own = self.numbers
    var expected = [publicKey.modulus, publicKey.publicExponent]
    for number in [own.d] + own.factors {
      expected.append(Array(number.octets.drop { $0 == 0 }))
    }
    let names = [
      "modulus", "publicExponent", "privateExponent", "prime1", "prime2", "exponent1", "exponent2", "coefficient",
    ]
    for (name, expected) in zip(names, expected) {
      guard try significant(name) == expected else { throw .malformed("privateKey.\(name) is another key's") }
    }
  }
}
