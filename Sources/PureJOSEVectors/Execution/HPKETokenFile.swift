import JOSE
import PureCrypto
import StrictJSON

/// The examples of HPKE for JOSE as its drafts print them: an array of keys, each with a compact token and a flattened
/// one of the same text.
enum HPKETokenFile {
  static func recognizes(_ elements: [JSONValue]) -> Bool {
    guard let first = elements.first?.objectValue else { return false }
    return ["alg", "jwk", "flattened", "compact"].allSatisfy(first.contains)
  }

  static func run(_ elements: [JSONValue], into report: inout VectorReport) {
    report.judge(elements, by: judge)
  }

  private static func judge(_ test: MemberReader) throws -> Verdict {
    let (name, object) = (try test.string("alg"), try test.jsonObject("jwk"))
    let (compact, flattened) = (try test.string("compact"), try test.jsonObject("flattened"))
    guard let algorithm = KeyManagementAlgorithm(name: name) else { throw VectorFault.notImplemented(name) }
    let jwk = try JWK(object)
    let key = try DecryptionKey(jwk)
    guard key.algorithm == algorithm else { return .wrong("the key is one of another algorithm") }
    guard try jwk.thumbprint() == jwk.keyID else { return .wrong("the thumbprint differs") }
    let contentEncryption = ContentEncryptionAlgorithm.allCases
    let opened = try JWE.decrypt(compact, with: key, contentEncryption: contentEncryption)
    let text = String(decoding: flattened.serialized(), as: UTF8.self)
    let other = try JWE.decryptJSON(text, with: key, contentEncryption: contentEncryption)
    guard opened.header.keyID == jwk.keyID, other.header.keyID == jwk.keyID else {
      return .wrong("a header names another key")
    }
    return .accepted(if: opened.plaintext == other.plaintext, otherwise: "the tokens have different texts")
  }
}
