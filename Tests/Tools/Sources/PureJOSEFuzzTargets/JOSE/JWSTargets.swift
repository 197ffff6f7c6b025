import JOSE
import PureCrypto
import StrictJSON

extension FuzzTarget {
  static let jwsTargets = [jwsCompact, jwsSigned, mldsaToken, jwsJSON, jwtClaims]

  /// The text of a token as it came.
  private static let jwsCompact = FuzzTarget(
    "jws-compact", maximumByteCount: 512,
    dictionary: ["eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJFUzI1NiJ9", "..", "=", "-_"],
    seeds: { try $0.texts("jws.json", "jwt.json", "pitfalls.json", member: "token").filter { $0.count <= 512 } },
    run: { input in
      let keys = try TokenKeys.shared.get()
      if let text = String(validating: input, as: UTF8.self) { _ = try? UnverifiedJWS(parsing: text) }
      var isAccepted = try verifyBothWays(input, .set)
      for key in keys.verificationKeys where try verifyBothWays(input, .key(key)) { isAccepted = true }
      return isAccepted
    })

  /// A header and a payload, signed rightly, so that what comes after the signature is reached.
  private static let jwsSigned = FuzzTarget(
    "jws-signed", maximumByteCount: 512, dictionary: headerWords,
    seeds: { vectors in
      try vectors.texts("jws.json", "pitfalls.json", member: "token").compactMap(headerAndPayload)
        + [
          InputParts.joined(#"{"alg":"HS256"}"#, #"{"iss":"a"}"#),
          InputParts.joined(#"{"alg":"HS256","b64":false,"crit":["b64"]}"#, "plain"),
        ]
    },
    run: { input in
      let parts = InputParts(input)
      let token = Array(TokenKeys.signed(header: parts[0], payload: parts[1]).utf8)
      let isAccepted = try verifyBothWays(token, .key(try TokenKeys.shared.get().hs256.verificationKey))
      return try verifyBothWays(token, .set) || isAccepted
    })

  /// A header and a payload, signed here by a key of ML-DSA-44: a signature of 2420 octets would fill the input.
  private static let mldsaToken = FuzzTarget(
    "ml-dsa-token", maximumByteCount: 512,
    dictionary: headerWords + ["\"alg\":\"ML-DSA-44\"", "\"alg\":\"ML-DSA-65\""],
    seeds: { vectors in
      try vectors.texts("ml_dsa_jose.json", member: "token").compactMap(headerAndPayload)
        + [
          InputParts.joined(#"{"alg":"ML-DSA-44"}"#, #"{"iss":"a"}"#),
          InputParts.joined(#"{"alg":"ML-DSA-44","kid":"a","typ":"JWT"}"#, "plain"),
        ]
    },
    run: { input in
      let parts = InputParts(input)
      let key = try TokenKeys.mlDSA()
      let verifier = try VerificationKey(JWK(pemRepresentation: key.publicKey.pemRepresentation))
      var token = Array(try TokenKeys.signed(header: parts[0], payload: parts[1], by: key).utf8)
      guard try verifyBothWays(token, .key(verifier)) else { return false }
      // A character in the middle of the signature, which has 3227.
      let place = token.count - 1000
      token[place] = token[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let isChangedAccepted = try verifyBothWays(token, .key(verifier))
      try require(!isChangedAccepted, "a changed signature is refused")
      return true
    })

  /// A JWS in JSON as it came.
  private static let jwsJSON = FuzzTarget(
    "jws-json", maximumByteCount: 768,
    dictionary: [
      "\"payload\":", "\"protected\":", "\"header\":", "\"signature\":", "\"signatures\":[", "eyJhbGciOiJIUzI1NiJ9",
    ],
    seeds: { vectors in
      try vectors.texts("jws.json", member: "token").compactMap(flattenedJWS)
        + [general, general.replacing(Array(#""payload""#.utf8), with: Array(#""other""#.utf8))]
    },
    run: { input in
      let keys = try TokenKeys.shared.get()
      let text = String(decoding: input, as: UTF8.self)
      let limits = TokenKeys.limits
      var isAccepted = false
      for requirement in [
        JWSRequirement.any(of: keys.verificationKeys), .all(of: Array(keys.verificationKeys.prefix(2))),
        .any(of: keys.keySet, algorithms: [.hs256, .es256, .eddsa]),
      ] {
        let attached = try? JWS.verifyJSON(
          text, requiring: requirement, acceptsUnprotectedAlgorithm: true, limits: limits)
        let detached = try? JWS.verifyJSON(text, requiring: requirement, detachedPayload: [1, 2], limits: limits)
        try require(attached == nil || detached == nil, "a payload is in the message or apart")
        if attached != nil { isAccepted = true }
      }
      return isAccepted
    })

  /// Claims in a token that is rightly signed, against policies of every kind.
  private static let jwtClaims = FuzzTarget(
    "jwt-claims", maximumByteCount: 384, dictionary: claimWords,
    seeds: { vectors in
      try vectors.texts("jwt.json", "pitfalls.json", member: "token").compactMap { token in
        headerAndPayload(token).map { InputParts($0)[1] }
      }
    },
    run: { input in
      let key = try TokenKeys.shared.get().hs256.verificationKey
      let token = TokenKeys.signed(header: Array(#"{"alg":"HS256"}"#.utf8), payload: input)
      var accepted = 0
      for policy in policies {
        let verifier = JWTVerifier(key: key, policy: policy)
        guard let verified = try? verifier.verify(token) else { continue }
        accepted += 1
        try require(verified.claims == (try JSONObject(parsing: input)), "the claims are the payload's")
        try require((try RegisteredClaims(verified.claims)) == verified.registeredClaims, "one reading of each claim")
      }
      guard accepted > 0 else { return false }
      let typed = try? JWTVerifier(key: key, policy: policies[0]).verify(token, as: TypedClaims.self)
      let object = try JSONObject(parsing: input)
      if let text = typed?.claims.iss { try require(object["iss"]?.stringValue == text, "typed claims are the same") }
      return true
    })

  private struct TypedClaims: Decodable {
    var iss: String?
    var exp: NumericDate?
    var aud: JSONValue?
  }

  private static let policies: [JWTPolicy] = {
    let clock = WallClock.fixed(at: NumericDate(1_700_000_000))
    let open = JWTPolicy(
      issuer: .notChecked, audience: .notChecked, type: .notChecked, requiredClaims: [], clock: clock)
    let usual = JWTPolicy(issuer: .anyOf(["joe", "https://a.example"]), audience: .anyOf(["me", "a"]), clock: clock)
    var strict = JWTPolicy(
      issuer: .notChecked, audience: .allOf(["a", "b"]), subject: "s", requiredClaims: ["exp", "jti"],
      leeway: .seconds(600),
      maximumAge: .seconds(60), refusesFutureIssuedAt: true, clock: clock)
    strict.limits.claimsDepth = 4
    let absent = JWTPolicy(
      issuer: .notChecked, audience: .absent, requiredClaims: [], leeway: .seconds(1), clock: clock)
    let ifPresent = JWTPolicy(issuer: .notChecked, audience: .ifPresent(["a"]), requiredClaims: [], clock: clock)
    return [open, usual, strict, absent, ifPresent]
  }()

  // MARK: Compact and JSON

  private enum Source {
    case key(VerificationKey)
    case set
  }

  /// Verifies a compact token and the same segments in JSON: both are accepted or both refused, with the same payload.
  private static func verifyBothWays(_ token: [UInt8], _ source: Source) throws -> Bool {
    let keys = try TokenKeys.shared.get()
    let algorithms: [SignatureAlgorithm] = [.hs256, .es256, .eddsa]
    let limits = TokenKeys.limits
    let compact: VerifiedJWS?
    let requirement: JWSRequirement
    switch source {
    case .key(let key):
      compact = try? JWS.verify(utf8: token, with: key, limits: limits)
      requirement = .key(key)
    case .set:
      compact = try? JWS.verify(utf8: token, with: keys.keySet, algorithms: algorithms, limits: limits)
      requirement = .any(of: keys.keySet, algorithms: algorithms)
    }
    guard let json = flattenedJWS(token) else {
      try require(compact == nil, "a token has three segments of text")
      return false
    }
    let flattened = try? JWS.verifyJSON(String(decoding: json, as: UTF8.self), requiring: requirement, limits: limits)
    if let compact { try require(flattened?.payload == compact.payload, "the JSON form of a token is accepted too") }
    if let flattened { try require(compact?.payload == flattened.payload, "the compact form is accepted too") }
    return compact != nil
  }

  /// The flattened JSON of three segments; nil if a segment is no printable ASCII, which JSON could write in other
  /// ways.
  private static func flattenedJWS(_ token: [UInt8]) -> [UInt8]? {
    let segments = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard segments.count == 3, token.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    let texts = segments.map { JSONValue.string(String(decoding: $0, as: UTF8.self)) }
    return JSONObject([("payload", texts[1]), ("protected", texts[0]), ("signature", texts[2])]).serialized()
  }

  private static func headerAndPayload(_ token: [UInt8]) -> [UInt8]? {
    let segments = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard segments.count == 3, let header = try? Base64URL.decode(utf8: segments[0]),
      let payload = try? Base64URL.decode(utf8: segments[1]), header.count + payload.count < 500
    else { return nil }
    return InputParts.joined(header, payload)
  }

  private static let general: [UInt8] = {
    let parts = TokenKeys.signed(header: Array(#"{"alg":"HS256"}"#.utf8), payload: [0x61]).split(separator: ".")
    return Array(
      #"{"payload":"\#(parts[1])","signatures":[{"protected":"\#(parts[0])","header":{"kid":"h"},"signature":"\#(parts[2])"}]}"#
        .utf8)
  }()
}
