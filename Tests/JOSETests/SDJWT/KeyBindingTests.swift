import JOSE
import PureCrypto
import StrictJSON
import Testing

@Suite("SD-JWT key binding")
struct KeyBindingTests {
  typealias Verified = VerifiedSDJWT<JSONObject>

  static let audience = "x509_san_dns:shop.example"
  static let required = KeyBindingPolicy.required(audience: audience, nonce: "n1")

  static func bound(
    _ claims: JSONObject = [:], to audience: String = audience, nonce: String = "n1", key: JWK = SDJWTTests.holder,
    at clock: WallClock = SDJWTTests.clock
  ) throws -> SDJWT {
    try SDJWTTests.issue().presenting(["email"]).bound(
      to: audience, nonce: nonce, claims: claims, with: SigningKey(key), clock: clock)
  }

  private func verdict(_ text: String, _ policy: KeyBindingPolicy = required) -> String {
    refusal { _ = try SDJWTTests.verifier(policy).verify(text) as Verified }
  }

  @Test("the verifier decides whether a binding must be there")
  func policy() throws {
    let (plain, bound) = (try SDJWTTests.issue().presenting(["email"]), try Self.bound())
    #expect(!plain.isBound && bound.isBound)
    #expect(verdict(plain.compact) == "claimMismatch(kb_jwt)")
    #expect(verdict(bound.compact) == "accepted")
    #expect(verdict(bound.compact, .forbidden) == "claimMismatch(kb_jwt)")
    #expect(verdict(plain.compact, .forbidden) == "accepted")
    #expect(verdict(plain.compact, .ignored) == "accepted" && verdict(bound.compact, .ignored) == "accepted")
    // What nobody asked for isn't reported as proved.
    let ignored: Verified = try SDJWTTests.verifier(.ignored).verify(bound)
    #expect(ignored.keyBinding == nil)
    for policy in [KeyBindingPolicy.required(audience: "", nonce: "n"), .required(audience: "a", nonce: "")] {
      #expect(verdict(bound.compact, policy) == "callerMisuse(keyBinding)")
    }
  }

  @Test("further claims of the proof are shown")
  func furtherClaims() throws {
    let token = try Self.bound(["transaction_data_hashes": ["abc"]])
    let verified: Verified = try SDJWTTests.verifier(Self.required).verify(token.compact)
    #expect(verified.keyBinding?.claims["transaction_data_hashes"] == ["abc"])
    #expect(verified.claims["email"]?.stringValue == "ada@example.org")
    #expect(refusal { _ = try Self.bound(["nonce": "x"]) } == "callerMisuse(nonce)")
  }

  @Test("a proof for another verifier, nonce, time, key or presentation is refused")
  func refusals() throws {
    #expect(verdict(try Self.bound(to: "other").compact) == "claimMismatch(aud)")
    #expect(verdict(try Self.bound(nonce: "n2").compact) == "claimMismatch(nonce)")
    #expect(verdict(try Self.bound(key: JWK.generate(.es256)).compact) == "signatureInvalid")
    #expect(verdict(try Self.bound(key: JWK.generate(.ed25519)).compact).hasPrefix("keyMismatch"))
    #expect(verdict(try Self.bound(key: SDJWTTests.issuer).compact) == "signatureInvalid")
    for (seconds, expected) in [
      (-299, "accepted"), (-300, "claimExpired(iat)"), (1, "claimNotYetValid(iat)"), (0, "accepted"),
    ] {
      let clock = WallClock.fixed(at: NumericDate(1_800_000_000 + seconds))
      #expect(verdict(try Self.bound(at: clock).compact) == expected, "\(seconds)")
    }
    // A disclosure more, one less, another order.
    let parts = try Self.bound().compact.split(separator: "~").map(String.init)
    let more = try SDJWTTests.issue().presenting([["nationalities", 0]]).compact.split(separator: "~").map(String.init)
    #expect(verdict([parts[0], parts[2]].joined(separator: "~")) == "claimMismatch(sd_hash)")
    #expect(verdict([parts[0], parts[1], more[1], parts[2]].joined(separator: "~")) == "malformed(disclosures)")
    #expect(verdict([more[0], parts[2]].joined(separator: "~")) == "claimMismatch(sd_hash)")
    #expect(verdict([parts[0], parts[1], parts[0]].joined(separator: "~")) != "accepted")
  }

  /// A presentation with a proof of any header and claims.
  private func handmade(
    _ claims: JSONObject, header: HeaderParameters = HeaderParameters(), type: String? = "kb+jwt",
    key: JWK = SDJWTTests.holder
  ) throws -> String {
    let token = try SDJWTTests.issue().presenting([])
    var proof: JSONObject = [
      "iat": 1_800_000_000, "aud": .string(Self.audience), "nonce": "n1",
      "sd_hash": .string(Base64URL.encode(SHA2.SHA256.hash(Array(token.compact.utf8)))),
    ]
    for (name, value) in claims.members { proof[name] = value.boolValue == false ? nil : value }
    return token.compact + (try JWT.sign(proof, with: SigningKey(key), type: type, header: header))
  }

  @Test("the proof has a type and claims of its own")
  func form() throws {
    #expect(verdict(try handmade([:])) == "accepted")
    for type in ["JWT", "kb+sd-jwt", nil] { #expect(verdict(try handmade([:], type: type)) == "typeMismatch(typ)") }
    for name in ["iat", "aud", "nonce", "sd_hash"] {
      #expect(verdict(try handmade(JSONObject([(name, JSONValue.bool(false))]))) == "claimMissing(\(name))", "\(name)")
    }
    // One audience, as a text.
    #expect(verdict(try handmade(["aud": [.string(Self.audience)]])) == "claimMismatch(aud)")
    #expect(verdict(try handmade(["nonce": 1])) == "claimMismatch(nonce)")
    // A key of the proof's own is none.
    let other = JWK.generate(.es256)
    let header = HeaderParameters(additional: ["jwk": .object(try #require(other.publicKey).publicJSONObject())])
    #expect(verdict(try handmade([:], header: header, key: other)) == "signatureInvalid")
    let weak = KeyBindingPolicy.required(audience: Self.audience, nonce: "n1", algorithms: [.ed25519])
    #expect(verdict(try handmade([:]), weak) == "algorithmNotAllowed(alg)")
  }

  @Test("key binding is refused if cnf has no public key of the holder")
  func holderKey() throws {
    func token(_ cnf: JSONValue?) throws -> String {
      var claims: JSONObject = ["iss": "https://issuer.example", "exp": 1_800_000_600]
      claims["cnf"] = cnf
      let token = try SDJWT.issue(claims, disclosing: [], with: SigningKey(SDJWTTests.issuer), type: "example+sd-jwt")
      return try token.bound(
        to: Self.audience, nonce: "n1", with: SigningKey(SDJWTTests.holder), clock: SDJWTTests.clock
      ).compact
    }
    let publicKey = JSONValue.object(try #require(SDJWTTests.holder.publicKey).publicJSONObject())
    #expect(verdict(try token(["jwk": publicKey])) == "accepted")
    for cnf in [nil, ["kid": "x"], [:], .null, "x", ["jwk": "x"]] as [JSONValue?] {
      #expect(verdict(try token(cnf)) == "claimInvalid(cnf)")
    }
    let secret = JWK.generate(.hs256)
    #expect(
      verdict(try token(["jwk": .object(try JSONObject(parsing: secret.serializedWithPrivateKey()))]))
        == "keyInvalid(cnf)")
  }

  @Test("a bound presentation can't be bound or reduced again")
  func boundAlready() throws {
    let token = try Self.bound()
    #expect(refusal { _ = try token.presenting([]) } == "callerMisuse")
    #expect(
      refusal { _ = try token.bound(to: "a", nonce: "n", with: SigningKey(SDJWTTests.holder)) }
        == "callerMisuse(kb_jwt)")
    let plain = try SDJWTTests.issue()
    for (audience, nonce, name) in [("", "n", "aud"), ("a", "", "nonce")] {
      #expect(
        refusal { _ = try plain.bound(to: audience, nonce: nonce, with: SigningKey(SDJWTTests.holder)) }
          == "callerMisuse(\(name))")
    }
  }

  @Test("the JSON serializations are the compact form in other words")
  func json() throws {
    let token = try Self.bound()
    let parts = token.compact.split(separator: "~").map(String.init)
    let segments = parts[0].split(separator: ".").map { JSONValue.string(String($0)) }
    let header: JSONObject = ["disclosures": [.string(parts[1])], "kb_jwt": .string(parts[2])]
    let flattened: JSONObject = [
      "protected": segments[0], "payload": segments[1], "signature": segments[2], "header": .object(header),
    ]
    let signature: JSONValue = ["protected": segments[0], "signature": segments[2], "header": .object(header)]
    let general: JSONObject = ["payload": segments[1], "signatures": [signature]]
    func text(_ object: JSONObject) -> String { String(decoding: object.serialized(), as: UTF8.self) }
    for message in [flattened, general] {
      #expect(try SDJWT(parsing: text(message)).compact == token.compact)
      #expect(verdict(text(message)) == "accepted")
    }
    var both = general
    both["signature"] = segments[2]
    #expect(verdict(text(both)) == "malformed(signatures)")
    var second = general
    second["signatures"] = [signature, signature]
    #expect(verdict(text(second)) == "malformed(disclosures)")
    for (name, value) in [
      ("disclosures", "x"), ("disclosures", [1]), ("disclosures", [""]), ("disclosures", ["a~b"]), ("kb_jwt", 1),
      ("kb_jwt", ""), ("kb_jwt", "a~b"),
    ] as [(String, JSONValue)] {
      var (message, changed) = (flattened, header)
      changed[name] = value
      message["header"] = .object(changed)
      #expect(verdict(text(message)) == "malformed(\(name))", "\(name)")
    }
    for name in ["protected", "payload", "signature"] {
      var message = flattened
      message[name] = nil
      #expect(verdict(text(message)) == "malformed(\(name))")
    }
  }
}
