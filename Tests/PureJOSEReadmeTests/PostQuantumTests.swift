import Foundation
import JOSE
import StrictJSON
import Testing

/// What the article on post-quantum tokens says of sizes and of consumers, by tokens that are made here.
@Suite("Post-quantum tokens, the article")
struct PostQuantumTests {
  private static let algorithms: [SignatureAlgorithm] = [.es256, .mlDSA44, .mlDSA65, .mlDSA87]
  private static let api = "https://api.example.com"

  private static func article() throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(
      contentsOf: root.appending(path: "Sources/JOSE/JOSE.docc/PostQuantumTokens.md"), encoding: .utf8)
  }

  /// The sizes in one row of the article's table.
  private struct Sizes {
    let publicKey: Int
    let privateKey: Int
    let signature: Int
    let keyInSet: Int
    let token: Int
    let proof: Int

    init(_ algorithm: SignatureAlgorithm) throws {
      let jwk = JWK.generate(algorithm, keyID: "2026-11")
      let key = try SigningKey(jwk)
      let issuer = PostQuantumIssuer(classical: key, postQuantum: key, ready: [])
      let text = try issuer.token(for: "jane", audience: PostQuantumTests.api)
      let members = try JSONObject(parsing: jwk.serializedWithPrivateKey())
      publicKey = try Self.octets(of: ["x", "y", "pub"], in: members)
      privateKey = try Self.octets(of: ["d", "priv"], in: members)
      signature = try Base64URL.decode(String(text.split(separator: ".")[2])).count
      keyInSet = try #require(key.verificationKey.publicJWK).serialized().count
      token = text.utf8.count
      let url = PostQuantumTests.api + "/orders"
      proof = try DPoP.proof(method: "GET", url: url, key: key, accessToken: text).utf8.count
    }

    private static func octets(of names: [String], in members: JSONObject) throws -> Int {
      try names.compactMap { members[$0]?.stringValue }.map { try Base64URL.decode($0).count }.reduce(0, +)
    }
  }

  @Test("the table has the sizes of keys, tokens and proofs", arguments: algorithms)
  func table(_ algorithm: SignatureAlgorithm) throws {
    let sizes = try Sizes(algorithm)
    let row =
      "| \(algorithm.name) | \(sizes.publicKey) | \(sizes.signature) | \(sizes.keyInSet) | \(sizes.token) "
      + "| \(sizes.proof) |\n"
    #expect(try Self.article().contains(row), "\(row)")
    #expect(sizes.privateKey == 32)
  }

  @Test("tokens and proofs fit where the articles say that they do, and nowhere else")
  func room() throws {
    let classical = try Sizes(.es256)
    let (small, middle, large) = try (Sizes(.mlDSA44), Sizes(.mlDSA65), Sizes(.mlDSA87))
    #expect(large.token < 8190 && small.proof < 8190 && middle.proof > 8192)
    #expect(middle.token + middle.proof < 16_384 && large.token + large.proof > 16_384)
    #expect(small.token < 4096 && middle.token > 4096)
    #expect(middle.token / classical.token == 12)
    let limits = Limits.default
    #expect(large.signature <= limits.signatureByteCount && limits.signatureByteCount == 8 * 1024)
    #expect(limits.keySetKeyCount * (large.keyInSet + 1) + 11 <= limits.keySetByteCount)
    #expect(limits.headerByteCount == 32 * 1024 && limits.tokenByteCount == 256 * 1024)
  }

  @Test("each consumer gets tokens that it takes, and one that is done takes no other")
  func consumers() throws {
    let issuer = try PostQuantumIssuer(
      classical: .generate(.es256, keyID: "2026-05"), postQuantum: .generate(.mlDSA65, keyID: "2026-11"),
      ready: [Self.api])
    let old = PostQuantumIssuer(classical: issuer.classical, postQuantum: issuer.postQuantum, ready: [])
    let keys = try JWKSet(parsing: issuer.keySet)
    #expect(keys.keys.count == 2 && keys.unsupportedKeys.isEmpty)
    let (new, former) = try (
      issuer.token(for: "jane", audience: Self.api), old.token(for: "jane", audience: Self.api)
    )
    let both = postQuantumVerifier(keys: keys)
    #expect(try both.verify(new).registeredClaims.subject == "jane")
    #expect(try both.verify(former).registeredClaims.subject == "jane")
    let (before, after) = (
      postQuantumVerifier(keys: keys, algorithms: [.es256]), postQuantumVerifier(keys: keys, algorithms: [.mlDSA65])
    )
    #expect(try before.verify(former).registeredClaims.subject == "jane")
    #expect(try after.verify(new).registeredClaims.subject == "jane")
    for (verifier, token) in [(before, new), (after, former)] {
      let error = #expect(throws: JOSEError.self) { try verifier.verify(token) }
      #expect(error?.code == .algorithmNotAllowed)
    }
  }

  @Test("a document with two signatures needs both")
  func twoSignatures() throws {
    let keys = try [SigningKey.generate(.es256), SigningKey.generate(.mlDSA65)]
    let message = try signedTwice([1, 2], by: keys)
    #expect(try document(message, signedBy: keys.map(\.verificationKey)) == [1, 2])
    for key in keys {
      let half = try signedTwice([1, 2], by: [key])
      #expect(throws: JOSEError.self) { try document(half, signedBy: keys.map(\.verificationKey)) }
    }
  }
}
