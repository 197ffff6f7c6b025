import JOSE
import PureCrypto
import StrictJSON
import Testing

/// Who is at fault is said by the place, not by the code: the same mistake is the caller's in a key of its own, and the
/// sender's in a message.
@Suite("Who is at fault")
struct FaultTests {
  struct Place: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: ErrorCode
    let fault: ErrorCode.Fault
    let fails: @Sendable () async throws -> Void

    init(
      _ description: String, _ code: ErrorCode, _ fault: ErrorCode.Fault,
      _ fails: @escaping @Sendable () async throws -> Void
    ) {
      (testDescription, self.code, self.fault, self.fails) = (description, code, fault, fails)
    }
  }

  private static let weakRSA: JSONObject = [
    "kty": "RSA", "n": .string(String(repeating: "_", count: 170) + "8"), "e": "AQAB",
  ]

  private static func proof(_ key: JSONObject) throws -> String {
    let header: JSONObject = ["typ": "dpop+jwt", "alg": "RS256", "jwk": .object(key)]
    return [header.serialized(), Array("{}".utf8), [1]].map { Base64URL.encode($0) }.joined(separator: ".")
  }

  /// Presents a sound proof with a request whose URL the server gives as this.
  private static func presented(_ url: String) async throws {
    let key = try SigningKey.generate(.es256)
    let proof = try DPoP.proof(method: "GET", url: "https://a.example/", key: key)
    _ = try await DPoPVerifier(records: MemoryRecordStore()).verify(proof, method: "GET", url: url, binding: .none)
  }

  static let places = [
    Place("a DPoP proof with an RSA key of 1024 bits", .keyTooWeak, .malformedMessage) {
      let verifier = DPoPVerifier(algorithms: [.es256, .rs256], records: MemoryRecordStore())
      _ = try await verifier.verify(proof(weakRSA), method: "GET", url: "https://a.example/", binding: .none)
    },
    Place("an RSA key of 1024 bits in a document", .keyTooWeak, .malformedMessage) { _ = try JWK(weakRSA) },
    Place("a secret of 31 octets of the caller's", .keyTooWeak, .callerMisuse) {
      _ = try SigningKey(secret: [UInt8](repeating: 1, count: 31), algorithm: .hs256)
    },
    Place("a public key to sign with", .keyMismatch, .callerMisuse) {
      let key = JWK.generate(.es256).publicKey
      _ = try SigningKey(#require(key), algorithm: .es256)
    },
    Place("an algorithm that isn't the key's", .keyMismatch, .callerMisuse) {
      _ = try SigningKey(JWK.generate(.es256), algorithm: .es384)
    },
    Place("a key without an algorithm", .keyMismatch, .callerMisuse) {
      var key = JWK.generate(.es256)
      key.algorithm = nil
      _ = try SigningKey(key)
    },
    Place("a public key to decrypt with", .keyMismatch, .callerMisuse) {
      let key = JWK.generateForKeyAgreement().publicKey
      _ = try DecryptionKey(#require(key), algorithm: .ecdhES)
    },
    Place("a proof by a symmetric key", .keyMismatch, .callerMisuse) {
      let key = try SigningKey(secret: [UInt8](repeating: 1, count: 32), algorithm: .hs256)
      _ = try DPoP.proof(method: "GET", url: "https://a.example/", key: key)
    },
    Place("a token by another algorithm", .algorithmNotAllowed, .notAuthentic) {
      let key = try SigningKey.generate(.es384)
      _ = try JWS.verify(JWS.sign([1], with: key), with: SigningKey.generate(.es256).verificationKey)
    },
    Place("a policy with an empty audience", .callerMisuse, .callerMisuse) {
      let key = try SigningKey.generate(.es256)
      let token = try JWT.sign(JWTClaims(issuer: "i", audience: "a", lifetime: .seconds(60)), with: key)
      _ = try JWTVerifier(key: key.verificationKey, issuer: "i", audience: "").verify(token)
    },
    Place("an algorithm that isn't the key's, to verify with", .keyMismatch, .callerMisuse) {
      _ = try VerificationKey(JWK.generate(.es256), algorithm: .es384)
    },
    Place("a key for signatures to encrypt for", .keyMismatch, .callerMisuse) {
      _ = try EncryptionKey(JWK.generate(.es256))
    },
    Place("a key for signatures to decrypt with", .keyMismatch, .callerMisuse) {
      _ = try DecryptionKey(JWK.generate(.es256))
    },
    Place("a key for another use, by its name in a token", .keyMismatch, .notAuthentic) {
      var key = JWK.generate(.es256, keyID: "1")
      let token = try JWS.sign([1], with: SigningKey(key))
      key.use = "enc"
      _ = try JWS.verify(token, with: JWKSet([key]), algorithms: [.es256])
    },
    Place("the path of a request that its sender wrote", .malformed, .malformedMessage) {
      try await presented("https://a.example/caf\u{E9}")
    },
    Place("a percent sign alone in such a path", .malformed, .malformedMessage) {
      try await presented("https://a.example/%zz")
    },
    Place("a request's URL without a host", .callerMisuse, .callerMisuse) { try await presented("/orders") },
    Place("a request's URL with an empty host", .callerMisuse, .callerMisuse) {
      try await presented("https:///orders")
    },
    Place("text that is no token", .malformed, .malformedMessage) { _ = try UnverifiedJWS(parsing: "x") },
  ]

  @Test("each failing call throws an error with the expected code and fault", arguments: places)
  func place(_ place: Place) async throws {
    let error = await #expect(throws: JOSEError.self) { try await place.fails() }
    #expect(error?.code == place.code && error?.fault == place.fault, "\(error.map { "\($0.code) \($0.fault)" } ?? "")")
  }
}
