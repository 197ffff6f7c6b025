import JOSE
import PureJOSEBenchmarking
import StrictJSON

/// Tokens whose holder shows a part of them, and lists of what is revoked.
enum CredentialWorkloads {
  static func all() async throws -> [Workload] {
    try disclosures() + statusLists() + [try await verificationWithStatus()]
  }

  /// A credential of ten claims, half of them shown and bound to a verifier, and one that a stranger has made long.
  private static func disclosures() throws -> [Workload] {
    let (issuer, holder) = (JWK.generate(.es256), JWK.generate(.es256))
    let (key, holderKey) = (try SigningKey(issuer), try SigningKey(holder))
    var claims: JSONObject = ["iss": "https://issuer.example", "vct": "t", "exp": 4_000_000_000]
    let names = (0..<10).map { "claim\($0)" }
    for name in names { claims[name] = "a value of some length" }
    let paths = names.map { ClaimPath([.member($0)]) }
    let publicKey = holder.publicKey
    let token = try SDJWT.issue(claims, disclosing: paths, holder: publicKey, with: key, type: "dc+sd-jwt")
    let shown = try token.presenting(Array(paths.prefix(5)))
    let presentation = try shown.bound(to: "v", nonce: "n", with: holderKey).compact
    var policy = JWTPolicy(issuer: .notChecked, audience: .notChecked, type: .anyOf(["dc+sd-jwt"]))
    policy.maximumLifetime = nil
    let verifier = SDJWTVerifier(
      verifier: JWTVerifier(key: key.verificationKey, policy: policy),
      keyBinding: .required(audience: "v", nonce: "n", maximumAge: .seconds(1_000_000)))
    let long = token.compact + String(repeating: "WyJzIiwiYSIsMV0~", count: 20_000)
    return [
      Workload("sd-jwt.es256.issue.10") {
        try SDJWT.issue(claims, disclosing: paths, holder: publicKey, with: key, type: "dc+sd-jwt")
      },
      Workload("sd-jwt.es256.verify.5") { try verifier.verify(presentation) as VerifiedSDJWT<JSONObject> },
      Workload("sd-jwt.refuse.20000") { (try? verifier.verify(long) as VerifiedSDJWT<JSONObject>) == nil },
    ]
  }

  /// Lists of 2²⁰ statuses: one in a hundred is revoked, or none.
  private static func statusLists() throws -> [Workload] {
    var (list, random) = (try StatusList(bits: 1, count: 1 << 20), UInt32(1))
    let empty = list
    for _ in 0..<(1 << 20) / 100 {
      random = random &* 1_664_525 &+ 1_013_904_223
      try list.set(.invalid, at: Int(random >> 12))
    }
    let (written, claim, looked) = (list, list.claim, 777_777)
    return [
      Workload("status-list.look-up") { written[looked] },
      Workload("status-list.decode.1m") { try StatusList(claim) },
      Workload("status-list.encode.1m") { written.claim },
      Workload("status-list.encode.1m-zeros") { empty.claim },
    ]
  }

  /// As `jwt.hs256.verify`, with a status that is looked up in a list at hand.
  private static func verificationWithStatus() async throws -> Workload {
    let (listKey, uri) = (try SigningKey.generate(.es256), "https://issuer.example/1")
    let answer = try StatusList(bits: 1, count: 1 << 20).signed(for: uri, timeToLive: .seconds(86_400), with: listKey)
    let policyOfLists = JWTPolicy(issuer: .notChecked, audience: .notChecked)
    let lists = StatusLists(verifier: JWTVerifier(key: listKey.verificationKey, policy: policyOfLists)) { _ in
      HTTPResponseValue(status: 200, body: Array(answer.utf8))
    }
    let (sample, key) = (SampleClaims(), try SigningKey.generate(.hs256))
    var claims = try JSONObject(parsing: StrictJSONEncoder().encode(sample))
    claims["status"] = StatusReference(uri: uri, index: 777_777).claim
    var policy = JWTPolicy(issuer: .anyOf([sample.iss]), audience: .anyOf([sample.aud]))
    policy.status = .required(lists)
    let verifier = JWTVerifier(key: key.verificationKey, policy: policy)
    let token = try JWT.sign(claims, with: key)
    _ = try await lists.list(at: uri)
    return Workload("jwt.hs256.verify.status") { try verifier.verify(token, as: SampleClaims.self) }
  }
}
