import JOSE
import PureCrypto
import Testing

@Suite("HMAC keys")
struct HMACKeyTests {
  static let algorithms: [SignatureAlgorithm] = [.hs256, .hs384, .hs512]

  @Test("each algorithm has its shortest key", arguments: algorithms)
  func lengths(algorithm: SignatureAlgorithm) throws {
    let minimum = algorithm.row.minimumKeyByteCount
    #expect(minimum == algorithm.row.signatureByteCount)
    for count in [1, 6, minimum - 1] {
      #expect(
        code { _ = try SigningKey(secret: [UInt8](repeating: 0x81, count: count), algorithm: algorithm) } == .keyTooWeak
      )
    }
    _ = try SigningKey(secret: [UInt8](repeating: 0x81, count: minimum), algorithm: algorithm)
    #expect(JWK.generate(algorithm).secretKeyThumbprint().count == 43)
  }

  @Test("tags are whole, and of their algorithm", arguments: algorithms)
  func tags(algorithm: SignatureAlgorithm) throws {
    let key = try SigningKey.generate(algorithm)
    let token = try JWS.sign(Array("payload".utf8), with: key)
    #expect(try JWS.verify(token, with: key.verificationKey).payload == Array("payload".utf8))
    var segments = token.split(separator: ".").map(String.init)
    let tag = try Base64URL.decode(segments[2])
    #expect(tag.count == algorithm.row.signatureByteCount)
    for damaged in [[], Array(tag.prefix(1)), Array(tag.dropLast()), tag + [0]] {
      segments[2] = Base64URL.encode(damaged)
      let text = segments.joined(separator: ".")
      #expect(code { _ = try JWS.verify(text, with: key.verificationKey) } == .signatureInvalid)
    }
    for index in tag.indices {
      var damaged = tag
      damaged[index] ^= 0x10
      segments[2] = Base64URL.encode(damaged)
      let text = segments.joined(separator: ".")
      #expect(code { _ = try JWS.verify(text, with: key.verificationKey) } == .signatureInvalid)
    }
  }

  @Test("a key without alg is bound only where a single accepted algorithm fits it")
  func binding() throws {
    let secret = SecretBytes.random(count: 64)
    let token = try JWS.sign([1], with: SigningKey(JWK(.octets(secret), keyID: "a"), algorithm: .hs384))
    let unnamed = JWKSet([JWK(.octets(secret), keyID: "a")])
    #expect(try JWS.verify(token, with: unnamed, algorithms: [.hs384, .es256]).payload == [1])
    #expect(refusal { _ = try JWS.verify(token, with: unnamed, algorithms: [.hs384, .hs256]) } == "keyMismatch(alg)")
    let named = JWKSet([JWK(.octets(secret), keyID: "a", algorithm: "HS384")])
    #expect(try JWS.verify(token, with: named, algorithms: Self.algorithms).payload == [1])
    let other = JWKSet([JWK(.octets(secret), keyID: "a", algorithm: "HS256")])
    #expect(refusal { _ = try JWS.verify(token, with: other, algorithms: Self.algorithms) } == "keyMismatch(alg)")
  }
}
