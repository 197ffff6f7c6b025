import JOSE
import Synchronization
import Testing

/// A stand-in for a key that lives elsewhere: counts its calls and can be told to misbehave.
final class CountingSigner: ExternalSigner {
  enum Behaviour: Sendable { case honest, failing, corrupting, truncating }

  struct Unavailable: Error {}

  private let key: SigningKey
  private let behaviour: Behaviour
  private let count = Mutex(0)

  init(_ key: SigningKey, _ behaviour: Behaviour = .honest) {
    self.key = key
    self.behaviour = behaviour
  }

  var calls: Int { count.withLock { $0 } }

  var verificationKey: VerificationKey { key.verificationKey }

  func signature(for signingInput: [UInt8]) throws -> [UInt8] {
    count.withLock { $0 += 1 }
    var signature = try key.signature(for: signingInput)
    switch behaviour {
    case .honest: break
    case .failing: throw Unavailable()
    case .corrupting: signature[10] ^= 1
    case .truncating: signature.removeLast()
    }
    return signature
  }
}

/// A stand-in for a key agreement key that lives elsewhere.
final class CountingKeyAgreement: ExternalKeyAgreement {
  private let key: JWK
  private let answer: (@Sendable ([UInt8]) -> [UInt8])?
  private let count = Mutex(0)

  init(_ key: JWK, answer: (@Sendable ([UInt8]) -> [UInt8])? = nil) {
    self.key = key
    self.answer = answer
  }

  var calls: Int { count.withLock { $0 } }

  var publicKeyX963Representation: [UInt8] { key.x963Representation ?? [] }

  func sharedSecret(withPublicKeyX963Representation publicKey: [UInt8]) throws -> [UInt8] {
    count.withLock { $0 += 1 }
    let secret = try sharedSecretOctets(key, publicKey)
    return answer.map { $0(secret) } ?? secret
  }
}

@Suite("Keys that live elsewhere")
struct ExternalKeyTests {
  @Test("an external signer serves as a key like any other, with one call per token")
  func signer() throws {
    let signer = CountingSigner(try TestKeys.signing(keyID: "device"))
    let token = try JWS.sign(Array("hello".utf8), with: SigningKey(signer))
    #expect(signer.calls == 1)
    let verified = try JWS.verify(token, with: signer.verificationKey)
    #expect(verified.payload == Array("hello".utf8) && verified.header.keyID == "device")
  }

  @Test(
    "a signer that fails or answers wrongly yields no token",
    arguments: [CountingSigner.Behaviour.failing, .corrupting, .truncating])
  func misbehaving(_ behaviour: CountingSigner.Behaviour) throws {
    let signer = CountingSigner(try TestKeys.signing(), behaviour)
    #expect(code { _ = try JWS.sign([], with: SigningKey(signer)) } == .externalKeyFailed)
  }

  @Test("prepare and finish serve an asynchronous signer, and verify before a token leaves")
  func twoSteps() async throws {
    let key = try TestKeys.signing()
    let prepared = try JWT.prepare(["sub": "a"], for: key.verificationKey)
    let signature = try await Task { try key.signature(for: prepared.signingInput) }.value
    let token = try prepared.finish(signature: signature)
    #expect(try JWS.verify(token, with: key.verificationKey).header.type == "JWT")
    for wrong in [[], [UInt8](repeating: 0, count: 64), Array(signature.dropLast()), signature.reversed()] {
      #expect(code { _ = try prepared.finish(signature: wrong) } == .externalKeyFailed)
    }
    let other = try SigningKey.generate(.es256)
    let foreign = try other.signature(for: prepared.signingInput)
    #expect(code { _ = try prepared.finish(signature: foreign) } == .externalKeyFailed)
  }

  @Test("an external key agreement opens a message with one call")
  func keyAgreement() throws {
    let external = CountingKeyAgreement(try JWK(parsing: TestKeys.ecdhES))
    let key = try DecryptionKey(external)
    let token = try JWE.encrypt(Array("hi".utf8), to: key.encryptionKey)
    #expect(try JWE.decrypt(token, with: key, contentEncryption: [.a256gcm]).plaintext == Array("hi".utf8))
    #expect(external.calls == 1)
  }

  @Test("a shared secret of a wrong length is a failure of the key; a wrong one opens nothing")
  func wrongSecret() throws {
    let jwk = try JWK(parsing: TestKeys.ecdhES)
    let token = try JWE.encrypt([], to: EncryptionKey(jwk, algorithm: .ecdhES))
    let short = try DecryptionKey(CountingKeyAgreement(jwk) { Array($0.dropLast()) })
    #expect(code { _ = try JWE.decrypt(token, with: short, contentEncryption: [.a256gcm]) } == .externalKeyFailed)
    let wrong = try DecryptionKey(CountingKeyAgreement(jwk) { $0.map { $0 ^ 1 } })
    #expect(code { _ = try JWE.decrypt(token, with: wrong, contentEncryption: [.a256gcm]) } == .decryptionFailed)
  }

  @Test("decryption in two steps")
  func twoStepDecryption() throws {
    let jwk = try JWK(parsing: TestKeys.ecdhES)
    let token = try JWE.encrypt(Array("hi".utf8), to: EncryptionKey(jwk, algorithm: .ecdhES))
    let prepared = try JWE.prepareDecryption(token, contentEncryption: [.a256gcm])
    let secret = try sharedSecretOctets(jwk, prepared.ephemeralPublicKey)
    #expect(try prepared.finish(sharedSecret: secret).plaintext == Array("hi".utf8))
    #expect(code { _ = try prepared.finish(sharedSecret: [UInt8](repeating: 0, count: 32)) } == .decryptionFailed)
    #expect(code { _ = try prepared.finish(sharedSecret: []) } == .externalKeyFailed)
  }
}
