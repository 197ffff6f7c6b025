import PureCrypto
import StrictJSON

/// The vectors of draft-connolly-cfrg-xwing-kem: an array of objects, each one test.
enum XWingFile {
  private static let names = ["seed", "eseed", "ss", "sk", "pk", "ct"]

  /// Whether an array has the shape of such a file: its first element says so.
  static func recognizes(_ elements: [JSONValue]) -> Bool {
    guard let first = elements.first?.objectValue else { return false }
    return names.allSatisfy(first.contains)
  }

  static func run(_ elements: [JSONValue], into report: inout VectorReport) {
    report.judge(elements, by: judge)
  }

  private static func judge(_ test: MemberReader) throws -> Verdict {
    let kem = LatticeKEM.mlKEM768X25519
    let (seed, randomness) = (try test.octets("seed"), try test.octets("eseed"))
    let (privateKey, publicKey) = (try test.octets("sk"), try test.octets("pk"))
    let (ciphertext, secret) = (try test.octets("ct"), try test.octets("ss"))
    guard randomness.count == kem.randomnessByteCount else {
      throw VectorFault.malformed("member eseed is not \(kem.randomnessByteCount) octets long")
    }
    // The private key is the seed itself.
    guard privateKey == seed else { return .wrong("the private key differs") }
    let key = try XWingPrivateKey(seed: SecretBytes(copying: seed))
    guard key.publicKey.rawRepresentation == publicKey else { return .wrong("the public key differs") }
    let made = try LatticeKEMPublicKey(kem, rawRepresentation: publicKey)
      .encapsulate(randomness: SecretBytes(copying: randomness))
    guard made.ciphertext == ciphertext, made.sharedSecret.octets == secret else {
      return .wrong("the encapsulated secret differs")
    }
    return .accepted(if: try key.decapsulate(ciphertext).octets == secret, otherwise: "the secret differs")
  }
}
