import JOSE
import StrictJSON

/// An example of the RFC 7520 cookbook. Each file counts as one test.
enum CookbookExample {
  /// Whether a document has the shape of a cookbook file.
  static func recognizes(_ document: JSONObject) -> Bool {
    document.contains("kty")
      || document.contains("title")
        && ["signing", "encrypting_content", "sign", "encrypt"].contains(where: document.contains)
  }

  static func run(_ document: JSONObject, into report: inout VectorReport) {
    var outcome = Outcome(ofWholeFile: MemberReader(document))
    outcome.judge { try judge(document, $0) }
    outcome.requireEverythingRead(isStrict: report.isStrict)
    outcome.add(to: &report)
  }

  private static func judge(_ document: JSONObject, _ file: MemberReader) throws -> Verdict {
    if file.has("kty") { return try judgeKey(document, file) }
    _ = try file.string("title")
    _ = try file.boolean(ifPresent: "reproducible")
    if file.has("signing") {
      guard hasCompactToken(document) else { return try CookbookJSONJWS(reading: file).judge() }
      return try CookbookJWS(reading: file).judge()
    }
    if file.has("encrypting_content") {
      guard hasCompactToken(document) else { return try CookbookJSONJWE(reading: file).judge() }
      return try CookbookJWE(reading: file).judge()
    }
    // Signed first, and what came of it encrypted.
    let signed = try CookbookJWS(reading: try file.object("sign"))
    let encrypted = try CookbookJWE(reading: try file.object("encrypt"))
    guard encrypted.plaintext.utf8.elementsEqual(signed.compact.utf8) else {
      throw VectorFault.malformed("the plaintext is not the signed token")
    }
    let verdict = try signed.judge()
    guard case .accepted = verdict else { return verdict }
    return try encrypted.judge()
  }

  /// Whether the outcome of an example has a compact form with all its content.
  private static func hasCompactToken(_ document: JSONObject) -> Bool {
    guard let token = document["output"]?.objectValue?["compact"]?.stringValue else { return false }
    let segments = token.split(separator: ".", omittingEmptySubsequences: false)
    return segments.count != 3 || !segments[1].isEmpty
  }

  /// A key must be read and written again without loss.
  private static func judgeKey(_ document: JSONObject, _ file: MemberReader) throws -> Verdict {
    for name in file.names { _ = file.value(ifPresent: name) }
    let written = try JSONObject(
      parsing: try JWK(document).serializedWithPrivateKey(), within: Limits.default.keyJSON)
    return .accepted(if: written == document, otherwise: "writing the key loses something")
  }
}
