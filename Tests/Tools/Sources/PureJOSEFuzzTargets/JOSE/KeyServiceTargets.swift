import JOSE
import PureCrypto
import StrictJSON

extension FuzzTarget {
  static let keyServiceTargets = [dpopProof, dpopSigned, dpopAuthorization, remoteKeys, issuerMetadata]

  private static let words =
    headerWords + claimWords + [
      "\"htm\":\"POST\"", "\"htu\":\"https://a.example/token\"", "\"ath\":", "\"typ\":\"dpop+jwt\"",
    ]

  /// A proof as it came.
  private static let dpopProof = FuzzTarget(
    "dpop", maximumByteCount: 640, dictionary: words,
    seeds: { _ in [Array(try ownProof().utf8)] },
    run: { input in try acceptsProof(String(decoding: input, as: UTF8.self)) })

  /// A proof's header and claims, signed rightly.
  private static let dpopSigned = FuzzTarget(
    "dpop-signed", maximumByteCount: 512, dictionary: words,
    seeds: { _ in
      let segments = try ownProof().split(separator: ".")
      return [
        InputParts.joined(
          try Base64URL.decode(String(segments[0])), try Base64URL.decode(String(segments[1])))
      ]
    },
    run: { input in
      let parts = InputParts(input)
      return try acceptsProof(TokenKeys.signed(header: parts[0], payload: parts[1], by: TokenKeys.p256("sign")))
    })

  /// The scheme of an authorization field and the claims of its token, signed rightly, with a proof that is right for
  /// it.
  private static let dpopAuthorization = FuzzTarget(
    "dpop-authorization", maximumByteCount: 512, dictionary: words + ["DPoP ", "Bearer ", "\"cnf\":{\"jkt\":"],
    seeds: { _ in
      let thumbprint = try TokenKeys.shared.get().es256.verificationKey.publicJWK?.thumbprint() ?? ""
      let bound = #"{"iss":"a","exp":1700000600,"cnf":{"jkt":"\#(thumbprint)"}}"#
      return [
        InputParts.joined("DPoP ", bound), InputParts.joined("dpop  ", bound), InputParts.joined("Bearer ", bound),
        InputParts.joined("DPoP ", #"{"iss":"a","exp":1700000600}"#),
      ]
    },
    run: { input in
      let parts = InputParts(input)
      let keys = try TokenKeys.shared.get()
      let token = TokenKeys.signed(header: Array(#"{"alg":"HS256"}"#.utf8), payload: parts[1])
      let url = "https://a.example/token"
      let proof = try DPoP.proof(
        method: "POST", url: url, key: keys.es256, accessToken: token, clock: .fixed(at: now))
      return try InlineExecutor.run {
        let verifier = DPoPAccessTokenVerifier(
          tokens: JWTVerifier(
            key: keys.hs256.verificationKey,
            policy: JWTPolicy(issuer: .anyOf(["a"]), audience: .absent, clock: .fixed(at: now))),
          proofs: DPoPVerifier(
            algorithms: [.es256], clock: .fixed(at: now), records: MemoryRecordStore(byteLimit: 2_000)))
        guard
          let access = try? await verifier.verify(
            authorization: parts.text(0) + token, proofs: [proof], method: "POST", url: url, as: JSONObject.self)
        else { return false }
        try require(parts.text(0).lowercased().hasPrefix("dpop "), "the scheme is DPoP")
        let bound = access.token.claims["cnf"]?.objectValue?["jkt"]?.stringValue
        let thumbprint = try keys.es256.verificationKey.publicJWK?.thumbprint()
        try require(bound == thumbprint, "the token is bound to the proof's key")
        return true
      }
    })

  /// An issuer's metadata, and an issuer.
  private static let issuerMetadata = FuzzTarget(
    "issuer-metadata", maximumByteCount: 512,
    dictionary: ["\"issuer\":", "\"jwks_uri\":", "https://", "https:///", "/.well-known/", "https://a.example"],
    seeds: { _ in
      [
        InputParts.joined(
          #"{"issuer":"https://a.example","jwks_uri":"https://a.example/keys"}"#, "https://a.example"),
        InputParts.joined(
          #"{"issuer":"https://a.example/t/","jwks_uri":"https://b.example/keys","x":[1]}"#, "https://a.example/t/"),
        InputParts.joined(#"{"issuer":"htTps://a.example"}"#, "htTps://a.example"),
      ]
    },
    run: { input in
      let parts = InputParts(input)
      let issuer = parts.text(1)
      for kind in [IssuerMetadata.Kind.openID, .oauth] {
        guard let url = try? IssuerMetadata.url(of: issuer, kind: kind) else { continue }
        try require(isHTTPS(url) && url.contains("/.well-known/"), "metadata lie at a known place")
      }
      guard let metadata = try? IssuerMetadata(parsing: parts[0], issuer: issuer) else { return false }
      try require(metadata.issuer.utf8.elementsEqual(issuer.utf8), "metadata are the issuer's")
      try require(isHTTPS(metadata.keySetURL), "keys come over https")
      return true
    })

  /// A key set's answer and its lifetime.
  private static let remoteKeys = FuzzTarget(
    "remote-keys", maximumByteCount: 512,
    dictionary: ["max-age=", "no-store", "no-cache", "s-maxage=", "must-revalidate", "stale-if-error=", "\"keys\":["],
    seeds: { _ in
      let set = try TokenKeys.shared.get().es256.verificationKey.publicJWK.map { JWKSet([$0]).serialized() } ?? []
      return [
        InputParts.joined(Array("public, max-age=3600".utf8), set),
        InputParts.joined("max-age=99999999999999999999", "{}"),
      ]
    },
    run: { input in
      let parts = InputParts(input)
      var headers = HTTPHeaderFields()
      for line in parts[0].split(separator: 0x0A) {
        try? headers.append("Cache-Control", String(decoding: line, as: UTF8.self))
      }
      let answer = HTTPResponseValue(status: 200, headers: headers, body: parts[1])
      let set = try? JWKSet(parsing: parts[1])
      let hasKeys = set?.keys.isEmpty == false
      let isKnown = try InlineExecutor.run {
        let keys = RemoteKeySet(
          url: "https://idp.example.com/jwks", clock: .fixed(at: NumericDate(0))
        ) { _ in answer }
        return (try? await keys.keys()) != nil
      }
      try require(isKnown == hasKeys, "the answer is a key set that has keys, or none is known")
      return isKnown
    })

  private static let now = NumericDate(1_700_000_000)

  private static func ownProof() throws -> String {
    try DPoP.proof(
      method: "POST", url: "https://a.example/token", key: try TokenKeys.shared.get().es256, clock: .fixed(at: now))
  }

  private static func acceptsProof(_ proof: String) throws -> Bool {
    try InlineExecutor.run {
      let verifier = DPoPVerifier(
        algorithms: [.es256, .eddsa], clock: .fixed(at: now), records: MemoryRecordStore(byteLimit: 2_000))
      let url = "https://a.example/token"
      guard let verified = try? await verifier.verify(proof, method: "POST", url: url, binding: .none) else {
        return false
      }
      try require(verified.issuedAt <= now.advanced(by: 5), "no proof from the future")
      try require(
        (try? await verifier.verify(proof, method: "POST", url: url, binding: .none)) == nil, "a proof serves once")
      return true
    }
  }

  /// Schemes are compared without regard to case (RFC 3986 §3.1).
  private static func isHTTPS(_ url: String) -> Bool { url.prefix(8).lowercased() == "https://" }
}
