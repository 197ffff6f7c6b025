import PureCrypto
import Testing

@testable import JOSE

/// A content encryption key that can't be had is replaced by a random one, whatever the algorithm: the tag fails (RFC
/// 7516 §11.5).
@Suite("Keys that can't be unwrapped")
struct UnwrapFailureTests {
  private static let rsa = JWK(.privateKey(.rsa(AnyRSAPrivateKey.generate())))

  static let algorithms = KeyManagementAlgorithm.allCases.filter { !$0.row.isForOneRecipient }

  /// A key with which to encrypt and decrypt, and another of the same kind.
  private static func keys(_ algorithm: KeyManagementAlgorithm) throws -> (EncryptionKey, DecryptionKey, DecryptionKey)
  {
    if algorithm.usesPassword {
      return (
        try EncryptionKey(password: "one".utf8, algorithm: algorithm, iterationCount: 1000),
        try DecryptionKey(password: "one".utf8, algorithm: algorithm),
        try DecryptionKey(password: "two".utf8, algorithm: algorithm)
      )
    }
    guard case .rsaOAEP = algorithm.row.mechanism else {
      let (jwk, other) = (try JWK.generate(algorithm), try JWK.generate(algorithm))
      return (try EncryptionKey(jwk), try DecryptionKey(jwk), try DecryptionKey(other))
    }
    let other = try JWK(.privateKey(.rsa(AnyRSAPrivateKey(bitCount: 2048))))
    return (
      try EncryptionKey(rsa, algorithm: algorithm), try DecryptionKey(rsa, algorithm: algorithm),
      try DecryptionKey(other, algorithm: algorithm)
    )
  }

  private static func failure(_ token: String, _ key: DecryptionKey) -> JOSEError? {
    do throws(JOSEError) {
      _ = try JWE.decrypt(token, with: key, contentEncryption: [.a256gcm, .a128gcm])
      return nil
    } catch {
      return error
    }
  }

  @Test("a damaged key, one of another length and another recipient's look the same", arguments: algorithms)
  func sameFailure(_ algorithm: KeyManagementAlgorithm) throws {
    let (encryptionKey, decryptionKey, other) = try Self.keys(algorithm)
    let token = try JWE.encrypt("text".utf8, to: encryptionKey, contentEncryption: .a256gcm)
    #expect(Self.failure(token, decryptionKey) == nil)
    let segments = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let encryptedKey = try Base64URL.decode(segments[1])
    var spoiled: [[UInt8]] = [
      encryptedKey.dropLast(), encryptedKey + [0], [1], [UInt8](repeating: 0, count: encryptedKey.count),
      [UInt8](repeating: 0xFF, count: encryptedKey.count),
    ].map { Array($0) }
    for index in [0, encryptedKey.count / 2, encryptedKey.count - 1] {
      var octets = encryptedKey
      octets[index] ^= 1
      spoiled.append(octets)
    }
    var failures = [try #require(Self.failure(token, other))]
    for octets in spoiled {
      var parts = segments
      parts[1] = Base64URL.encode(octets)
      failures.append(try #require(Self.failure(parts.joined(separator: "."), decryptionKey)))
    }
    // The tag itself, which is what fails in all of these.
    var parts = segments
    parts[4] = Base64URL.encode([UInt8](repeating: 0, count: 16))
    failures.append(try #require(Self.failure(parts.joined(separator: "."), decryptionKey)))
    for failure in failures {
      #expect(
        failure.description
          == "decryptionFailed: the message could not be opened: it is for another key or password, or was changed")
    }
  }

  @Test("a sound key of another content encryption's length fails at the tag too", arguments: algorithms)
  func otherLength(_ algorithm: KeyManagementAlgorithm) throws {
    let (encryptionKey, decryptionKey, _) = try Self.keys(algorithm)
    // Sixteen octets, wrapped as they should be, in a message that says it takes thirty-two.
    let key = SecretBytes.random(count: 16)
    let wrapped = try encryptionKey.wrap(key, for: .a256gcm, parties: PartyInfos())
    var header: JSONObject = ["alg": .string(algorithm.name), "enc": "A256GCM"]
    for (name, value) in wrapped.parameters.members { header[name] = value }
    let token = [
      Base64URL.encode(header.serialized()), Base64URL.encode(wrapped.encryptedKey),
      Base64URL.encode([UInt8](repeating: 0, count: 12)), "AAAA", Base64URL.encode([UInt8](repeating: 0, count: 16)),
    ].joined(separator: ".")
    #expect(
      Self.failure(token, decryptionKey)?.description
        == "decryptionFailed: the message could not be opened: it is for another key or password, or was changed")
  }

  @Test("RSA1_5 is not an algorithm, neither of a key nor of a message")
  func rsa15() throws {
    #expect(KeyManagementAlgorithm(name: "RSA1_5") == nil)
    var jwk = Self.rsa
    jwk.algorithm = "RSA1_5"
    #expect(refusal { _ = try DecryptionKey(jwk) } == "algorithmUnsupported(alg)")
    #expect(refusal { _ = try EncryptionKey(jwk) } == "algorithmUnsupported(alg)")
    #expect(refusal { _ = try DecryptionKey(jwk, algorithm: .rsaOAEP) } == "keyMismatch(alg)")
    let header = Base64URL.encode(#"{"alg":"RSA1_5","enc":"A128GCM"}"#.utf8)
    let token = [
      header, Base64URL.encode([UInt8](repeating: 1, count: 384)), "AAAAAAAAAAAAAAAA", "AA", "AAAAAAAAAAAAAAAAAAAAAA",
    ].joined(separator: ".")
    let key = try DecryptionKey(Self.rsa, algorithm: .rsaOAEP)
    #expect(
      refusal { _ = try JWE.decrypt(token, with: key, contentEncryption: [.a128gcm]) } == "algorithmNotAllowed(alg)")
    #expect(
      refusal {
        _ = try JWE.decrypt(
          token, with: JWKSet([Self.rsa]), keyManagement: KeyManagementAlgorithm.allCases, contentEncryption: [.a128gcm]
        )
      } == "algorithmNotAllowed(alg)")
  }

  @Test("algorithm and key type names are compared as bytes: the Kelvin sign is no K")
  func kelvin() throws {
    let kelvin = "\u{212A}"
    #expect(KeyManagementAlgorithm(name: "A128\(kelvin)W") == nil)
    #expect(KeyManagementAlgorithm(name: "ECDH-ES+A128\(kelvin)W") == nil)
    #expect(
      refusal {
        _ = try JWK(
          parsing: #"{"kty":"O\#(kelvin)P","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#)
      } == "algorithmUnsupported(kty)")
    let (_, key, _) = try Self.keys(.a128kw)
    let header = Base64URL.encode(#"{"alg":"A128\#(kelvin)W","enc":"A256GCM"}"#.utf8)
    let token =
      "\(header).\(Base64URL.encode([UInt8](repeating: 1, count: 40))).AAAAAAAAAAAAAAAA.AA.AAAAAAAAAAAAAAAAAAAAAA"
    #expect(Self.failure(token, key)?.code == .algorithmNotAllowed)
  }

  @Test("RSA keys have 2048 to 8192 bits, to encrypt as to verify")
  func rsaBounds() {
    func modulus(_ bitCount: Int) -> String {
      var octets = [UInt8](repeating: 0xFF, count: (bitCount + 7) / 8)
      octets[0] = bitCount % 8 == 0 ? 0xFF : UInt8((1 << (bitCount % 8)) - 1)
      return Base64URL.encode(octets)
    }
    func read(_ bitCount: Int, exponent: String = "AQAB") -> String {
      refusal { _ = try JWK(parsing: #"{"kty":"RSA","n":"\#(modulus(bitCount))","e":"\#(exponent)"}"#) }
    }
    #expect(read(2047) == "keyTooWeak(n)" && read(1024) == "keyTooWeak(n)")
    #expect(read(2048) == "accepted" && read(8192) == "accepted")
    #expect(read(8193) == "keyInvalid(n)" && read(16384) == "keyInvalid(n)")
    for exponent in ["AQ", "Ag", "AAEAAQ", "AQAAAAE", ""] {
      #expect(
        read(2048, exponent: exponent) == "keyInvalid(n)" || exponent.isEmpty && read(2048, exponent: "") != "accepted")
    }
    #expect(read(2048, exponent: "Aw") == "accepted")
  }
}
