import JOSE
import PureCrypto

/// Verification with Ed25519; with the private key, signing too.
struct Ed25519VerifyGroup: VectorGroup {
  private let publicKey: [UInt8]
  private let seed: [UInt8]?

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    let key = try group.object("key")
    guard try key.string("curve") == "edwards25519" else { throw .notImplemented("another Edwards curve") }
    publicKey = try key.octets("pk")
    seed = try key.octets(ifPresent: "sk")
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let message = try test.octets("msg")
    let signature = try test.octets("sig")
    let isValid = try test.result("result") == .valid
    let key = try Ed25519PublicKey(rawRepresentation: publicKey)
    guard try key.keepsThroughEncodings() else { return .wrong("the key files give other keys") }
    if let seed, isValid {
      let privateKey = try Ed25519PrivateKey(rawRepresentation: seed)
      guard privateKey.publicKey == key, privateKey.signature(for: message) == signature else {
        return .wrong("the public key or the signature differs")
      }
    }
    return .accepted(if: key.isValidSignature(signature, for: message))
  }
}

/// Exact signatures of Ed25519.
struct Ed25519SignGroup: VectorGroup {
  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    guard try group.string("curve") == "edwards25519" else { throw .notImplemented("another Edwards curve") }
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let seed = try test.octets("sk")
    let publicKey = try test.octets("pk")
    let message = try test.octets("msg")
    let signature = try test.octets("sig")
    let key = try Ed25519PrivateKey(rawRepresentation: seed)
    guard key.publicKey.rawRepresentation == publicKey else { return .wrong("the public key differs") }
    guard try Ed25519PrivateKey(pemRepresentation: key.pemRepresentation).publicKey == key.publicKey else {
      return .wrong("the key files give other keys")
    }
    guard key.signature(for: message) == signature else { return .wrong("the signature differs") }
    return .accepted(if: key.publicKey.isValidSignature(signature, for: message), otherwise: "does not verify")
  }
}

/// Wycheproof's Ed25519.
struct WycheproofEd25519Group: VectorGroup {
  private let key: Ed25519PublicKey

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    let publicKey = try group.object("publicKey")
    guard try publicKey.string("type") == "EDDSAPublicKey", try publicKey.string("curve") == "edwards25519",
      try publicKey.integer("keySize") == 255
    else { throw .malformed("publicKey is of another type") }
    let raw = try publicKey.octets("pk")
    let der = try group.octets("publicKeyDer")
    let pem = try group.string("publicKeyPem")
    do throws(CryptoError) {
      key = try Ed25519PublicKey(rawRepresentation: raw)
      guard try Ed25519PublicKey(derRepresentation: der) == key, key.derRepresentation == der,
        try Ed25519PublicKey(pemRepresentation: pem) == key
      else { throw CryptoError(.invalidPublicKey, "its forms are different keys") }
    } catch {
      throw .malformed("the public key: \(error)")
    }
    try group.requireSameKey(inJWK: "publicKeyJwk", asDER: der)
  }

  func run(_ test: MemberReader) throws -> Verdict {
    .accepted(if: key.isValidSignature(try test.octets("sig"), for: try test.octets("msg")))
  }
}

extension Ed25519PublicKey {
  /// Whether SPKI and PEM give the same key again.
  fileprivate func keepsThroughEncodings() throws(CryptoError) -> Bool {
    let copies = [
      try Ed25519PublicKey(derRepresentation: derRepresentation),
      try Ed25519PublicKey(pemRepresentation: pemRepresentation),
      try Ed25519PublicKey(rawRepresentation: rawRepresentation),
    ]
    return copies.allSatisfy { $0 == self }
  }
}
