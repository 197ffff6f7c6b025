import CryptoKit
import Foundation
import JOSE
import JOSEFoundation

/// Keys in the Secure Enclave, from the key to the message and back.
enum EnclaveChecks {
  static func run(_ check: inout Check) throws {
    let signer = try SecureEnclaveSigner(SecureEnclave.P256.Signing.PrivateKey(), keyID: "enclave")
    let text = Array("a message".utf8)
    let message = try JWS.sign(text, with: SigningKey(signer))
    check.expect(
      try JWS.verify(message, with: signer.verificationKey).payload == text, "what the enclave signed verifies")
    let another = try SecureEnclaveSigner(SecureEnclave.P256.Signing.PrivateKey())
    check.expect((try? JWS.verify(message, with: another.verificationKey)) == nil, "with its own key alone")

    let agreement = SecureEnclaveKeyAgreement(try SecureEnclave.P256.KeyAgreement.PrivateKey())
    let key = try DecryptionKey(agreement)
    check.expect(agreement.publicKeyX963Representation.count == 65, "the public key has 65 octets")
    let sealed = try JWE.encrypt(text, to: key.encryptionKey, contentEncryption: .a256gcm)
    check.expect(
      try JWE.decrypt(sealed, with: key, contentEncryption: [.a256gcm]).plaintext == text,
      "what was encrypted to the enclave's key, it opens")
  }
}
