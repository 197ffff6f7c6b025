import JOSE
import PureCrypto
import StrictJSON

extension FuzzTarget {
  static let sdJWTTargets = [sdJWT, sdJWTSigned, credentialQuery]

  private static func verifier() throws -> SDJWTVerifier {
    let policy = JWTPolicy(
      issuer: .notChecked, audience: .notChecked, type: .notChecked, requiredClaims: [],
      clock: .fixed(at: NumericDate(1_700_000_000)))
    return SDJWTVerifier(
      verifier: JWTVerifier(key: try TokenKeys.shared.get().hs256.verificationKey, policy: policy), keyBinding: .ignored
    )
  }

  /// The text of a token as it came.
  private static let sdJWT = FuzzTarget(
    "sd-jwt", maximumByteCount: 2048,
    dictionary: ["~", "~~", "\"disclosures\":[", "\"kb_jwt\":", "\"signatures\":[", "\"payload\":", "\"protected\":"],
    seeds: { vectors in
      try vectors.texts("sd_jwt.json", member: "token").filter { $0.count <= 2048 }
    },
    run: { input in
      let text = String(decoding: input, as: UTF8.self)
      _ = try? verifier().verify(text) as VerifiedSDJWT<JSONObject>
      guard let token = try? SDJWT(parsing: text) else { return false }
      // Of two forms the compact one is the same token.
      try require(try SDJWT(parsing: token.compact).compact == token.compact, "the compact form is read again")
      guard let paths = try? token.disclosedPaths() else { return false }
      guard !token.isBound else { return true }
      try require(try token.presenting(paths).compact == token.compact, "all paths are the whole token")
      try require(try token.presenting([]).disclosedPaths().isEmpty, "no path is no disclosure")
      return true
    })

  /// A payload and the JSON of disclosures, whose digests stand in the payload as `@0@` to `@7@`: signed rightly.
  private static let sdJWTSigned = FuzzTarget(
    "sd-jwt-signed", maximumByteCount: 768,
    dictionary: ["\"_sd\":[", "\"_sd_alg\":\"sha-256\"", "{\"...\":", "\"@0@\"", "\"@1@\"", "[\"s\",\"a\",", "[\"s\","]
      + claimWords,
    seeds: { _ in
      [
        InputParts.joined(#"{"_sd":["@0@"]}"#, #"["s","a",1]"#),
        InputParts.joined(#"{"_sd":["@0@"],"a":2}"#, #"["s","a",1]"#),
        InputParts.joined(#"{"_sd":["@0@","@1@"]}"#, #"["s","a",1]"#, #"["s","b",{"_sd":["@0@"]}]"#),
        InputParts.joined(#"{"l":[{"...":"@0@"},{"...":"@1@"}]}"#, #"["s",1]"#, #"["t",[2]]"#),
        InputParts.joined(#"{"_sd":["@1@"],"x":{}}"#, #"["s","a",1]"#, #"["s","o",{"_sd":["@0@"]}]"#),
      ]
    },
    run: { input in
      let parts = InputParts(input)
      // A later disclosure may name those before it.
      var (texts, digests): ([String], [String]) = ([], [])
      func filled(_ octets: [UInt8]) -> [UInt8] {
        var text = String(decoding: octets, as: UTF8.self)
        for (place, digest) in digests.enumerated() { text = text.replacing("@\(place)@", with: digest) }
        return Array(text.utf8)
      }
      for place in 1..<9 where !parts[place].isEmpty {
        texts.append(Base64URL.encode(filled(parts[place])))
        digests.append(Base64URL.encode(SHA2.SHA256.hash(Array(texts[texts.count - 1].utf8))))
      }
      let token = TokenKeys.signed(header: Array(#"{"alg":"HS256"}"#.utf8), payload: filled(parts[0]))
      let text = ([token] + texts).map { $0 + "~" }.joined()
      guard let verified = try? verifier().verify(text) as VerifiedSDJWT<JSONObject> else { return false }
      try require(verified.disclosedPaths.count == texts.count, "each disclosure has its place")
      try require(Set(verified.disclosedPaths).count == texts.count, "no two have one place")
      try require(!holdsDigests(.object(verified.claims)), "no digest is left")
      let kept = try SDJWT(parsing: text).presenting([])
      let fewer: VerifiedSDJWT<JSONObject>? = try? verifier().verify(kept.compact)
      for (name, value) in fewer?.claims.members ?? [] where value.arrayValue == nil && value.objectValue == nil {
        try require(verified.claims[name] == value, "what everybody sees is the same, whatever is shown")
      }
      return true
    })

  /// A query, the answer to it, and the claims of a credential: signed rightly.
  private static let credentialQuery = FuzzTarget(
    "credential-query", maximumByteCount: 1024,
    dictionary: [
      "\"credentials\":[", "\"vct_values\":[", "\"claims\":[", "\"path\":[", "\"values\":[", "\"claim_sets\":[",
      "\"credential_sets\":[", "\"options\":[", "\"multiple\":true", "dc+sd-jwt", "null",
    ],
    seeds: { _ in
      let query =
        #"{"credentials":[{"id":"a","format":"dc+sd-jwt","multiple":true,"meta":{"vct_values":["t"]},"#
        + #""require_cryptographic_holder_binding":false,"claims":[{"id":"x","path":["l",null,"n"],"values":[1]},"#
        + #"{"id":"y","path":["m",0]}],"claim_sets":[["x"],["y"]]}],"credential_sets":[{"options":[["a"]]}]}"#
      return [
        InputParts.joined(query, #"{"a":["p"]}"#, #"{"vct":"t","l":[{"n":1}]}"#),
        InputParts.joined(query, #"{"a":["p","q"]}"#, #"{"vct":"t","m":["z"]}"#),
        InputParts.joined(query, #"{"b":[1]}"#, #"{"vct":"u","l":[1]}"#),
      ]
    },
    run: { input in
      let parts = InputParts(input)
      guard let query = try? CredentialQuery(parsing: parts[0]) else { return false }
      if let answer = try? JSONObject(parsing: parts[1]), let shown = try? query.presentations(in: answer) {
        let count = answer.members.reduce(0) { $0 + ($1.value.arrayValue?.count ?? 0) }
        try require(shown.count == count, "every presentation of an answer is handed on")
      }
      let token = TokenKeys.signed(header: Array(#"{"alg":"HS256","typ":"dc+sd-jwt"}"#.utf8), payload: parts[2])
      guard let card = try? verifier().verify(token + "~") as VerifiedSDJWT<JSONObject> else { return false }
      guard (try? query.require(card, for: "a")) != nil else { return false }
      try require(card.claims["vct"]?.stringValue != nil, "what satisfies a query has a type")
      return true
    })

  private static func holdsDigests(_ value: JSONValue) -> Bool {
    switch value {
    case .object(let object):
      object["_sd"] != nil || object["..."] != nil || object.members.contains { holdsDigests($0.value) }
    case .array(let elements): elements.contains(where: holdsDigests)
    default: false
    }
  }
}
