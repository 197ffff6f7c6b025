import JOSE
import PureCrypto
import StrictJSON

/// An example of RFC 9964: a key, a token, and what they are made of. Each file is one test.
enum MLDSAExample {
  /// Whether a document has the shape of such a file.
  static func recognizes(_ document: JSONObject) -> Bool {
    document.contains("raw_to_be_signed") && document.contains("raw_public_key")
  }

  static func run(_ document: JSONObject, into report: inout VectorReport) {
    var outcome = Outcome(ofWholeFile: MemberReader(document))
    outcome.judge(running: judge)
    outcome.requireEverythingRead(isStrict: report.isStrict)
    outcome.add(to: &report)
  }

  private static func judge(_ file: MemberReader) throws -> Verdict {
    let (seed, publicKey) = (try file.octets("priv"), try file.octets("raw_public_key"))
    let (signingInput, signature) = (try file.octets("raw_to_be_signed"), try file.octets("raw_signature"))
    let token = try file.string("jws")
    let jwk = try JWK(file.jsonObject("jwk"))
    guard case .privateKey(.mlDSA(let key)) = jwk.material, key.publicKey.rawRepresentation == publicKey,
      key.seed.octets == seed
    else { return .wrong("the key differs") }
    guard try jwk.thumbprint() == jwk.keyID else { return .wrong("the thumbprint differs") }
    guard try key.signature(for: signingInput, deterministically: true) == signature else {
      return .wrong("the signature differs")
    }
    let text = "\(String(decoding: signingInput, as: UTF8.self)).\(Base64URL.encode(signature))"
    guard text.utf8.elementsEqual(token.utf8) else {
      return .wrong("the token is made of other parts")
    }
    let verified = try JWS.verify(token, with: VerificationKey(jwk))
    return .accepted(if: verified.header.keyID == jwk.keyID, otherwise: "the header names another key")
  }
}
