import JOSE
import StrictJSON

/// The examples of RFC 9901, whose issuer and holder have the keys that its specification prints.
enum SDJWTExampleFile {
  static func recognizes(_ document: JSONObject) -> Bool {
    guard let first = document["examples"]?.arrayValue?.first?.objectValue else { return false }
    return ["sd_jwt_issuance", "sd_jwt_presentation"].allSatisfy(first.contains)
  }

  static func run(_ document: JSONObject, into report: inout VectorReport) {
    report.judge(document["examples"]?.arrayValue ?? [], by: judge)
  }

  private static let issuer: JSONObject = [
    "kty": "EC", "crv": "P-256", "x": "b28d4MwZMjw8-00CG4xfnn9SLMVMM19SlqZpVb_uNtQ",
    "y": "Xv5zWwuoaTgdS6hV43yI6gBwTnjukmFQQnJ_kCxzqk8",
  ]
  /// When the key binding tokens were made; others are valid then as well.
  private static let now = 1_795_432_610

  private static func judge(_ test: MemberReader) throws -> Verdict {
    _ = try test.string("name")
    _ = try test.string("specification")
    let decoys = test.value(ifPresent: "decoy_digests").map { $0.arrayValue?.count ?? 0 }
    guard decoys != 0 else { throw VectorFault.malformed("there are no decoys") }
    let (issuance, presentation) = (try test.string("sd_jwt_issuance"), try test.string("sd_jwt_presentation"))
    let userClaims = try test.jsonObject("user_claims")
    let contents = try test.jsonObject("verified_contents")
    let payload = try test.jsonObject("sd_jwt_payload")
    let part = WireName(try test.string("sd_jwt_jws_part"))
    let proof = try test.jsonObject(ifPresent: "kb_jwt_payload")
    let proofHeader = try test.jsonObject(ifPresent: "kb_jwt_header")
    let proofToken = try test.string(ifPresent: "kb_jwt_serialized")
    let whole = try SDJWT(parsing: issuance)
    // What the issuer gave away is the user's claims, and what the issuer says of itself.
    let all: VerifiedSDJWT<JSONObject> = try verifier(.forbidden).verify(whole)
    for (name, value) in userClaims.members where !(all.claims[name]?.denotesSame(as: value) ?? false) {
      return .wrong("the claim \(name) differs")
    }
    // Of a JSON serialization the part is JSON, too.
    guard part.text.utf8.first == 0x7B || part == whole.issuerToken else {
      return .wrong("the issuer's token differs")
    }
    let signed = try UnverifiedJWS(parsing: whole.issuerToken)
    guard signed.unverifiedClaims.map({ JSONValue.object($0).denotesSame(as: .object(payload)) }) == true else {
      return .wrong("the payload differs")
    }
    var binding = KeyBindingPolicy.forbidden
    if let proof {
      binding = .required(
        audience: try MemberReader(proof).string("aud"), nonce: try MemberReader(proof).string("nonce"))
    }
    let verified: VerifiedSDJWT<JSONObject> = try verifier(binding).verify(presentation)
    guard JSONValue.object(verified.claims).denotesSame(as: .object(contents)) else {
      return .wrong("the verified contents differ")
    }
    guard let proof else { return .accepted }
    guard let proofHeader, verified.keyBinding?.header.parameters == proofHeader,
      verified.keyBinding?.claims == proof
    else { return .wrong("the key binding differs") }
    let presented = try SDJWT(parsing: presentation).compact
    return .accepted(
      if: proofToken.map { presented.utf8.reversed().starts(with: $0.utf8.reversed()) } ?? false,
      otherwise: "the key binding is another token")
  }

  private static func verifier(_ keyBinding: KeyBindingPolicy) throws(JOSEError) -> SDJWTVerifier {
    try SDJWTVerification(issuer: issuer, type: .notChecked, now: now, keyBinding: keyBinding).verifier()
  }
}
