import Foundation
import JOSE
import PureCrypto
import StrictJSON
import Testing

/// What the article on encryption for many years says of sizes and recipients, by messages that are made here.
@Suite("Encrypting for the next thirty years, the article")
struct EncryptionForYearsTests {
  private static let algorithms: [KeyManagementAlgorithm] = [
    .ecdhES, .hpke(.p256SHA256AES128GCM), .hpke(.mlKEM768P256SHAKE256AES256GCM),
    .hpke(.mlKEM768X25519SHAKE256AES256GCM), .hpke(.mlKEM1024P384SHAKE256AES256GCM), .hpke(.mlKEM768SHAKE256AES256GCM),
    .hpke(.mlKEM1024SHAKE256AES256GCM),
  ]

  private static func article() throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(
      contentsOf: root.appending(path: "Sources/JOSE/JOSE.docc/EncryptingForThirtyYears.md"), encoding: .utf8)
  }

  private static func octets(of names: [String], in members: JSONObject) throws -> Int {
    try names.compactMap { members[$0]?.stringValue }.map { try Base64URL.decode($0).count }.reduce(0, +)
  }

  @Test("the table has the sizes of keys and messages", arguments: algorithms)
  func table(_ algorithm: KeyManagementAlgorithm) throws {
    let jwk = try JWK.generate(algorithm)
    let members = try JSONObject(parsing: jwk.serializedWithPrivateKey())
    let publicKey = try Self.octets(of: ["x", "y", "pub"], in: members)
    let privateKey = try Self.octets(of: ["d", "priv"], in: members)
    let message = try JWE.encrypt([], to: EncryptionKey(jwk))
    let segment = try Base64URL.decode(String(message.split(separator: ".", omittingEmptySubsequences: false)[1]))
    let encapsulated = segment.isEmpty ? 64 : segment.count
    let row =
      "| \(algorithm.name) | \(publicKey) | \(privateKey) | \(encapsulated) | \(message.utf8.count) |\n"
    #expect(try Self.article().contains(row), "\(row)")
  }

  @Test("a message opens for its purpose alone")
  func purpose() throws {
    let jwk = try JWK.generate(.hpke(.mlKEM768P256SHAKE256AES256GCM), keyID: "2026-11")
    let message = try sealed([1, 2], for: #require(jwk.publicKey), purpose: "archive of contracts")
    #expect(try opened(message, with: jwk, purpose: "archive of contracts") == [1, 2])
    let error = #expect(throws: JOSEError.self) { try opened(message, with: jwk, purpose: "backup") }
    #expect(error?.code == .decryptionFailed)
  }

  @Test("the header of HPKE-8-KE has 2.1 KiB")
  func header() throws {
    let jwk = try JWK.generate(.hpkeKeyEncryption(.mlKEM768P256SHAKE256AES256GCM))
    let message = try JWE.encrypt([], to: EncryptionKey(jwk))
    let count = message.prefix { $0 != "." }.utf8.count
    #expect(count == 2108)
  }
}
