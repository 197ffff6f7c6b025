import JOSE
import StrictJSON

/// Verification of JWS in each serialization.
struct JWSVerifyGroup: BareGroup {
  func run(_ test: MemberReader) throws -> Verdict {
    let payload = try test.octets(ifPresent: "payload")
    let detachedPayload = try test.octets(ifPresent: "detachedPayload")
    let test = try TokenTest(reading: test)
    let verification = try JWSVerification(test)
    let verified: [UInt8]
    if test.isJSON {
      verified = try verification.runJSON(test.token, detachedPayload: detachedPayload)
    } else if let detachedPayload {
      verified = try verification.run(test.token, detachedPayload: detachedPayload).payload
    } else {
      verified = try verification.run(test.token).payload
    }
    return .accepted(if: payload.map { $0 == verified } ?? true, otherwise: "the payload differs")
  }
}

/// How a test wants its JWS to be verified.
struct JWSVerification {
  private let trusted: TokenTest.Trusted
  private let understood: [String]
  let algorithms: [SignatureAlgorithm]

  init(_ test: TokenTest) throws(VectorFault) {
    trusted = test.trusted
    understood = test.understood ?? ["b64"]
    algorithms = try TokenTest.implemented(test.algorithms, named: test.headerTexts("alg")) {
      SignatureAlgorithm(name: $0)
    }
  }

  func run(_ token: String) throws(JOSEError) -> VerifiedJWS {
    switch trusted {
    case .key(let key):
      return try JWS.verify(token, with: try verificationKey(key), understanding: understood)
    case .set(let set):
      return try JWS.verify(token, with: try keySet(set), algorithms: algorithms, understanding: understood)
    }
  }

  func run(_ token: String, detachedPayload: [UInt8]) throws(JOSEError) -> VerifiedJWS {
    switch trusted {
    case .key(let key):
      try JWS.verifyDetached(
        token, payload: detachedPayload, with: try verificationKey(key), understanding: understood)
    case .set(let set):
      try JWS.verifyDetached(
        token, payload: detachedPayload, with: try keySet(set), algorithms: algorithms, understanding: understood)
    }
  }

  /// The payload of a token in JSON serialization.
  func runJSON(_ token: String, detachedPayload: [UInt8]?) throws(JOSEError) -> [UInt8] {
    let requirement: JWSRequirement =
      switch trusted {
      case .key(let key): .key(try verificationKey(key))
      case .set(let set): .any(of: try keySet(set), algorithms: algorithms)
      }
    return try JWS.verifyJSON(
      token, requiring: requirement, detachedPayload: detachedPayload, understanding: understood
    ).payload
  }

  /// A verifier of tokens that are signed this way.
  func verifier(policy: JWTPolicy) throws(JOSEError) -> JWTVerifier {
    switch trusted {
    case .key(let key): JWTVerifier(key: try verificationKey(key), policy: policy)
    case .set(let set): JWTVerifier(keys: try keySet(set), algorithms: algorithms, policy: policy)
    }
  }

  /// The key, bound to the first of the algorithms that takes it.
  private func verificationKey(_ object: JSONObject) throws(JOSEError) -> VerificationKey {
    let key = try JWK(object)
    for algorithm in algorithms.dropLast() {
      if let bound = try? VerificationKey(key, algorithm: algorithm) { return bound }
    }
    return try VerificationKey(key, orNamed: algorithms.last)
  }

  private func keySet(_ object: JSONObject) throws(JOSEError) -> JWKSet {
    try JWKSet(parsing: object.serialized(), acceptsSecretKeys: true)
  }
}
