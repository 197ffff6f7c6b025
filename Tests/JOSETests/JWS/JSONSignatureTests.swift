import JOSE
import Testing

@Suite("JWS JSON serialization")
struct JSONSignatureTests {
  static let payload = Array("It is a dangerous business".utf8)

  static func keys() throws -> (SigningKey, SigningKey) {
    (try TestKeys.signing(keyID: "ec"), try SigningKey(JWK.generate(.hs256, keyID: "mac")))
  }

  @Test("each form verifies, and says whose signature did", arguments: [JWSPayloadEncoding.base64url, .unencoded])
  func forms(encoding: JWSPayloadEncoding) throws {
    let (first, second) = try Self.keys()
    for isDetached in [false, true] {
      let detached = isDetached ? Self.payload : nil
      let signer = JWSSigner(key: first, unprotectedHeader: ["note": 5])
      let flat = try JWS.signJSON(
        Self.payload, with: [signer], serialization: .flattened, isDetached: isDetached, encoding: encoding)
      let one = try JWS.verifyJSON(flat, requiring: .key(first.verificationKey), detachedPayload: detached)
      #expect(one.payload == Self.payload && one.signatures.count == 1)
      #expect(one.signatures[0].unprotectedHeader == ["note": 5])
      let general = try JWS.signJSON(
        Self.payload, with: [signer, JWSSigner(key: second)], isDetached: isDetached, encoding: encoding)
      let both = try JWS.verifyJSON(
        general, requiring: .all(of: [second.verificationKey, first.verificationKey]), detachedPayload: detached)
      #expect(both.signatures.map(\.index) == [0, 1] && both.payload == Self.payload)
      let other = try JWS.verifyJSON(general, requiring: .key(second.verificationKey), detachedPayload: detached)
      #expect(other.signatures.map(\.index) == [1])
      #expect(other.signatures[0].key.keyID == "mac")
      // In the message or apart, never both and never neither.
      #expect(
        code {
          _ = try JWS.verifyJSON(
            general, requiring: .key(second.verificationKey), detachedPayload: isDetached ? nil : Self.payload)
        } == .malformed)
    }
  }

  @Test("a single key is tried whatever the token calls it, in every serialization")
  func nameIsAHint() throws {
    let signer = try TestKeys.signing(keyID: "old name")
    let key = try TestKeys.signing(keyID: "new name").verificationKey
    let flat = try JWS.signJSON(Self.payload, with: [JWSSigner(key: signer)], serialization: .flattened)
    #expect(try JWS.verify(JWS.sign(Self.payload, with: signer), with: key).payload == Self.payload)
    #expect(try JWS.verifyJSON(flat, requiring: .key(key)).payload == Self.payload)
    // Among several keys the name chooses.
    let other = try SigningKey(JWK.generate(.hs256, keyID: "mac")).verificationKey
    #expect(code { _ = try JWS.verifyJSON(flat, requiring: .any(of: [key, other])) } == .keyNotFound)
  }

  @Test(
    "a detached JWS verifies with its payload, and an attached JWS is refused as detached",
    arguments: [JWSPayloadEncoding.base64url, .unencoded])
  func detached(encoding: JWSPayloadEncoding) throws {
    let key = try TestKeys.signing()
    let payload: [UInt8] = [0, 0x2E, 0xFF, 0x0A]
    let token = try JWS.signDetached(payload, with: key, encoding: encoding)
    #expect(try JWS.verifyDetached(token, payload: payload, with: key.verificationKey).payload == payload)
    #expect(code { _ = try JWS.verifyDetached(token, payload: [0], with: key.verificationKey) } == .signatureInvalid)
    // To the attached form, an empty segment is an empty payload.
    #expect(code { _ = try JWS.verify(token, with: key.verificationKey) } == .signatureInvalid)
    let attached = try JWS.sign(payload, with: key)
    #expect(code { _ = try JWS.verifyDetached(attached, payload: payload, with: key.verificationKey) } == .malformed)
    let empty = try JWS.sign([], with: key)
    #expect(try JWS.verifyDetached(empty, payload: [], with: key.verificationKey).payload.isEmpty)
    if encoding == .unencoded {
      #expect(
        code { _ = try JWS.verifyDetached(token, payload: payload, with: key.verificationKey, understanding: []) }
          == .criticalHeaderUnsupported)
    }
  }

  @Test("an unencoded payload is for no JWT")
  func unencodedJWT() throws {
    let key = try TestKeys.signing()
    let header = Base64URL.encode(#"{"alg":"ES256","b64":false,"crit":["b64"]}"#.utf8)
    let claims = #"{"exp":2000000000}"#
    let signature = try key.signature(for: Array("\(header).\(claims)".utf8))
    let token = "\(header).\(claims).\(Base64URL.encode(signature))"
    #expect(try JWS.verify(token, with: key.verificationKey).payload == Array(claims.utf8))
    var policy = JWTPolicy(issuer: .notChecked, audience: .notChecked)
    #expect(
      code { _ = try JWTVerifier(key: key.verificationKey, policy: policy).verify(token) } == .criticalHeaderUnsupported
    )
    policy.understoodCriticalParameters = ["b64"]
    #expect(
      refusal { _ = try JWTVerifier(key: key.verificationKey, policy: policy).verify(token) } == "headerInvalid(b64)")
  }

  /// A message with signatures of the caller's making.
  static func message(_ entries: [String]) -> String {
    #"{"payload":"\#(Base64URL.encode(payload))","signatures":[\#(entries.joined(separator: ","))]}"#
  }

  static func entry(_ header: String, _ key: SigningKey, unprotected: String? = nil) throws -> String {
    let protected = Base64URL.encode(header.utf8)
    let signature = try key.signature(for: Array("\(protected).\(Base64URL.encode(payload))".utf8))
    let part = unprotected.map { #""header":\#($0),"# } ?? ""
    return #"{"protected":"\#(protected)",\#(part)"signature":"\#(Base64URL.encode(signature))"}"#
  }

  @Test("forged, foreign and unsigned entries count for nothing, in any place")
  func foreignEntries() throws {
    let (key, other) = try Self.keys()
    let valid = try Self.entry(#"{"alg":"ES256"}"#, key)
    let forged = try Self.entry(#"{"alg":"ES256"}"#, SigningKey(JWK.generate(.es256)))
    let unsigned = #"{"protected":"\#(Base64URL.encode(#"{"alg":"none"}"#.utf8))","signature":""}"#
    let foreign = try Self.entry(#"{"alg":"HS256"}"#, other)
    let extended = try Self.entry(#"{"alg":"ES256","crit":["u"],"u":1}"#, key)
    for bad in [forged, unsigned, foreign, extended] {
      for entries in [[valid, bad], [bad, valid]] {
        let verified = try JWS.verifyJSON(Self.message(entries), requiring: .key(key.verificationKey))
        #expect(verified.signatures.map(\.index) == [entries[0] == valid ? 0 : 1])
        #expect(
          code { _ = try JWS.verifyJSON(Self.message(entries), requiring: .all(of: [key.verificationKey])) }
            == .signatureInvalid)
      }
      #expect(throws: JOSEError.self) {
        try JWS.verifyJSON(Self.message([bad]), requiring: .key(key.verificationKey))
      }
    }
    #expect(code { _ = try JWS.verifyJSON(Self.message([valid]), requiring: .any(of: [])) } == .callerMisuse)
    // One of two keys has signed twice: the other has not.
    #expect(
      code {
        _ = try JWS.verifyJSON(
          Self.message([valid, valid]), requiring: .all(of: [key.verificationKey, other.verificationKey]))
      } == .signatureInvalid)
    let set = JWKSet([try JWK(parsing: TestKeys.es256)])
    let named = try JWS.verifyJSON(Self.message([forged, valid]), requiring: .any(of: set, algorithms: [.es256]))
    #expect(named.signatures.map(\.index) == [1])
  }

  @Test("sixteen signatures are looked at, seventeen are not")
  func signatureLimit() throws {
    let key = try TestKeys.signing()
    let entry = try Self.entry(#"{"alg":"ES256"}"#, key)
    let edge = Self.message(Array(repeating: entry, count: 16))
    #expect(try JWS.verifyJSON(edge, requiring: .all(of: [key.verificationKey])).signatures.count == 16)
    let beyond = Self.message(Array(repeating: entry, count: 17))
    #expect(
      refusal { _ = try JWS.verifyJSON(beyond, requiring: .key(key.verificationKey)) }
        == "limitExceeded(signatureCount)")
  }

  @Test("headers are disjoint, and what decides is protected")
  func headers() throws {
    let key = try TestKeys.signing()
    for (header, unprotected, expected) in [
      (#"{"alg":"ES256","kid":"a"}"#, #"{"kid":"a"}"#, "headerInvalid(header)"),
      (#"{"alg":"ES256"}"#, #"{"\u0061lg":"ES256"}"#, "headerInvalid(header)"),
      (#"{"alg":"ES256"}"#, #"{"crit":["x"]}"#, "headerInvalid(crit)"),
      (#"{"alg":"ES256"}"#, #"{"b64":false}"#, "headerInvalid(b64)"),
      ("{}", #"{"alg":"ES256"}"#, "headerInvalid(alg)"), (#"{"alg":"ES256"}"#, "5", "malformed(header)"),
      (#"{"alg":"ES256"}"#, "{}", "malformed(header)"), (#"{"alg":"ES256"}"#, "{ }", "malformed(header)"),
    ] {
      let text = Self.message([try Self.entry(header, key, unprotected: unprotected)])
      #expect(refusal { _ = try JWS.verifyJSON(text, requiring: .key(key.verificationKey)) } == expected)
    }
    let outside = Self.message([try Self.entry("{}", key, unprotected: #"{"alg":"ES256"}"#)])
    let verified = try JWS.verifyJSON(
      outside, requiring: .key(key.verificationKey), acceptsUnprotectedAlgorithm: true)
    #expect(verified.payload == Self.payload)
    let mixed = Self.message([
      try Self.entry(#"{"alg":"ES256"}"#, key), try Self.entry(#"{"alg":"ES256","b64":false,"crit":["b64"]}"#, key),
    ])
    #expect(refusal { _ = try JWS.verifyJSON(mixed, requiring: .key(key.verificationKey)) } == "headerInvalid(b64)")
  }

  @Test(
    "texts of another form are malformed",
    arguments: [
      "", "[]", "{}", #"{"payload":""}"#, #"{"payload":"","signatures":[]}"#, #"{"payload":"","signatures":{}}"#,
      #"{"payload":"","signatures":[5]}"#, #"{"payload":"","signatures":[{}]}"#,
      #"{"payload":"","signature":"","signatures":[{"protected":"e30","signature":""}]}"#,
      #"{"payload":"","protected":"","signature":""}"#, #"{"payload":5,"protected":"e30","signature":""}"#,
      #"{"payload":"","protected":5,"signature":""}"#, #"{"payload":"","protected":"e30","signature":5}"#,
      #"{"payload":"$","protected":"e30","signature":""}"#,
      #"{"payload":"","payload":"","protected":"e30","signature":""}"#,
    ])
  func malformed(text: String) throws {
    let key = try TestKeys.signing().verificationKey
    #expect(code { _ = try JWS.verifyJSON(text, requiring: .key(key)) } == .malformed)
  }

  @Test("signJSON refuses signers, serializations and headers that no JWS can have")
  func misuse() throws {
    let (first, second) = try Self.keys()
    let pair = [JWSSigner(key: first), JWSSigner(key: second)]
    #expect(code { _ = try JWS.signJSON([1], with: []) } == .callerMisuse)
    #expect(code { _ = try JWS.signJSON([1], with: pair, serialization: .flattened) } == .callerMisuse)
    #expect(code { _ = try JWS.signJSON([0xFF], with: pair, encoding: .unencoded) } == .callerMisuse)
    for name in ["alg", "crit", "b64", "typ"] {
      let signer = JWSSigner(
        key: first, header: HeaderParameters(type: "x"), unprotectedHeader: JSONObject([(name, .number(1))]))
      #expect(refusal { _ = try JWS.signJSON([1], with: [signer]) } == "callerMisuse(\(name))")
    }
  }
}
