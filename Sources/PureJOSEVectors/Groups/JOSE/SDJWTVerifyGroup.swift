import JOSE
import StrictJSON

/// Verification of tokens with selective disclosure, with or without a key binding.
struct SDJWTVerifyGroup: BareGroup {
  func run(_ test: MemberReader) throws -> Verdict {
    let (token, issuer, type) = (try test.string("token"), try test.jsonObject("issuerKey"), try test.string("typ"))
    let (now, isBound) = (try test.integer("now"), try test.boolean("keyBinding"))
    let (audience, nonce) = (try test.string(ifPresent: "audience"), try test.string(ifPresent: "nonce"))
    let claims = try test.jsonObject(ifPresent: "claims")
    _ = try test.string(ifPresent: "strictness")
    let profile = try test.string(ifPresent: "profile").map { WireName($0) }
    guard profile == nil || profile == "sd-jwt-vc" else { throw VectorFault.notImplemented("another profile") }
    guard isBound == (audience != nil && nonce != nil) else {
      throw VectorFault.malformed("audience and nonce belong to a key binding")
    }
    let verifier = try SDJWTVerification(
      issuer: issuer, type: .anyOf([type]), now: now,
      keyBinding: isBound ? .required(audience: audience ?? "", nonce: nonce ?? "") : .ignored
    ).verifier()
    let verified: VerifiedSDJWT<JSONObject> = try verifier.verify(token)
    guard let claims else { return .accepted }
    return .accepted(
      if: JSONValue.object(verified.claims).denotesSame(as: .object(claims)), otherwise: "the claims differ")
  }
}

/// How a test wants such a token to be verified. Who issued it is told by the key alone.
struct SDJWTVerification {
  let issuer: JSONObject
  let type: TypePolicy
  let now: Int
  let keyBinding: KeyBindingPolicy

  func verifier() throws(JOSEError) -> SDJWTVerifier {
    var policy = JWTPolicy(
      issuer: .notChecked, audience: .notChecked, type: type, requiredClaims: [],
      clock: .fixed(at: NumericDate(now)))
    // Examples live for longer than tokens do.
    policy.maximumLifetime = nil
    return SDJWTVerifier(
      verifier: JWTVerifier(key: try VerificationKey(JWK(issuer), algorithm: .es256), policy: policy),
      keyBinding: keyBinding)
  }
}
