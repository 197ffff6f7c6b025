import JOSE
import StrictJSON
import Testing

/// A compact token with the given header text and payload, signed with the key of the suite, so that only the named
/// rule can refuse it.
func token(header: String, payload: String = #"{"sub":"a"}"#, with key: SigningKey) throws -> String {
  let signingInput = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
  // JWS.sign writes its own header, so the signature is made over the chosen text through the two-step form's
  // verification key.
  return signingInput + "." + Base64URL.encode(try RawSignature.make(signingInput, with: key))
}

@Suite("JWS compact serialization")
struct JWSTests {
  @Test("signed tokens verify and carry alg, kid, typ and the payload", arguments: [true, false])
  func roundTrip(_ asymmetric: Bool) throws {
    let key = asymmetric ? try TestKeys.signing(keyID: "k") : try TestKeys.hmac()
    for count in [0, 1, 2, 3, 100, 5000] {
      let payload = [UInt8](repeating: 0xA5, count: count)
      let text = try JWS.sign(payload, with: key, header: HeaderParameters(type: "x+jwt", additional: ["n": 1]))
      let verified = try JWS.verify(text, with: key.verificationKey)
      #expect(verified.payload == payload)
      #expect(verified.header.algorithm == key.algorithm.name)
      #expect(verified.header.keyID == key.keyID)
      #expect(verified.header.type == "x+jwt")
      #expect(verified.header["n"] == 1)
    }
  }

  @Test("RFC 7515 A.1: the HS256 example is made and verified to the octet")
  func exampleA1() throws {
    let jwk =
      #"{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}"#
    let example =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxl"
      + "LmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    let key = try VerificationKey(JWK(parsing: jwk), algorithm: .hs256)
    let payload = try JWS.verify(example, with: key).payload
    #expect(String(decoding: payload, as: UTF8.self).hasPrefix("{\"iss\":\"joe\",\r\n"))
  }

  @Test("every single-character change of a token is refused", arguments: [true, false])
  func everyChangeIsRefused(_ asymmetric: Bool) throws {
    let key = asymmetric ? try TestKeys.signing() : try TestKeys.hmac()
    let text = Array(try JWS.sign(Array("payload".utf8), with: key).utf8)
    for index in text.indices {
      for change in [0x01, 0x02, 0x10, 0x20, 0x80] as [UInt8] {
        var copy = text
        copy[index] ^= change
        #expect(throws: JOSEError.self) { try JWS.verify(utf8: copy, with: key.verificationKey) }
      }
      var shorter = text
      shorter.remove(at: index)
      #expect(throws: JOSEError.self) { try JWS.verify(utf8: shorter, with: key.verificationKey) }
      var longer = text
      longer.insert(text[index], at: index)
      #expect(throws: JOSEError.self) { try JWS.verify(utf8: longer, with: key.verificationKey) }
    }
  }

  @Test("an HMAC tag of any other length is refused")
  func tagLength() throws {
    let key = try TestKeys.hmac()
    let text = try JWS.sign([1], with: key)
    let cut = try #require(text.lastIndex(of: "."))
    let tag = try Base64URL.decode(String(text[text.index(after: cut)...]))
    for other in [[], Array(tag[..<1]), Array(tag[..<16]), Array(tag[..<31]), tag + [0]] {
      let changed = text[...cut] + Base64URL.encode(other)
      #expect(code { _ = try JWS.verify(String(changed), with: key.verificationKey) } == .signatureInvalid)
    }
  }

  @Test(
    "algorithms that the key is not for are refused before any arithmetic",
    arguments: [
      "none", "None", "NONE", "nOnE", "none ", "n\\u006fne", "", "ES257", "HS256", "ES384", "es256", "E\u{17F}256",
    ])
  func foreignAlgorithms(_ name: String) throws {
    let key = try TestKeys.signing()
    for text in [
      try token(header: "{\"alg\":\"\(name)\"}", with: key),
      Base64URL.encode("{\"alg\":\"\(name)\"}".utf8) + ".e30.",
    ] {
      #expect(code { _ = try JWS.verify(text, with: key.verificationKey) } == .algorithmNotAllowed)
    }
  }

  @Test("a public key is never an HMAC secret")
  func publicKeyAsSecret() throws {
    let jwk = try JWK(parsing: TestKeys.es256)
    let pem = try #require(jwk.publicPEMRepresentation)
    let json = try jwk.serialized()
    for disguise in [Array(pem.utf8), Array(("  \n" + pem).utf8), Array(pem.utf8.dropLast()), json, [0x20] + json] {
      #expect(code { _ = try SigningKey(secret: disguise, algorithm: .hs256) } == .keyMismatch)
    }
    let der = try Base64.decode(pem.split(separator: "\n").dropFirst().dropLast().joined())
    #expect(code { _ = try SigningKey(secret: der, algorithm: .hs256) } == .keyMismatch)
  }

  @Test("HS256 secrets have 32 octets or more")
  func secretLength() throws {
    for count in [0, 1, 6, 31] {
      #expect(
        code { _ = try SigningKey(secret: [UInt8](repeating: 7, count: count), algorithm: .hs256) } == .keyTooWeak)
    }
    for count in [32, 33, 64, 65, 200] {
      let key = try SigningKey(secret: [UInt8](repeating: 7, count: count), algorithm: .hs256)
      #expect(try JWS.verify(JWS.sign([], with: key), with: key.verificationKey).payload.isEmpty)
    }
  }

  @Test(
    "headers that break their specification are refused",
    arguments: [
      (#"{}"#, "headerInvalid(alg)"), (#"{"alg":null}"#, "headerInvalid(alg)"),
      (#"{"alg":["none"]}"#, "headerInvalid(alg)"), (#"{"alg":"ES256","typ":5}"#, "headerInvalid(typ)"),
      (#"{"alg":"ES256","cty":{}}"#, "headerInvalid(cty)"), (#"{"alg":"ES256","kid":1}"#, "headerInvalid(kid)"),
      (#"{"alg":"ES256","crit":"b64"}"#, "headerInvalid(crit)"),
      (#"{"alg":"ES256","crit":[1]}"#, "headerInvalid(crit)"),
      (#"{"alg":"ES256","crit":[""],"":1}"#, "headerInvalid(crit)"),
      (#"{"alg":"ES256","crit":["u","u"],"u":1}"#, "headerInvalid(crit)"),
      (#"{"alg":"ES256","crit":["ü"],"ü":1}"#, "headerInvalid(crit)"),
      (#"{"alg":"ES256","crit":["u"],"u":1}"#, "criticalHeaderUnsupported(crit)"),
      (#"{"alg":"ES256","crit":["exp"],"exp":1}"#, "criticalHeaderUnsupported(crit)"),
      (#"{"alg":"ES256","b64":false}"#, "headerInvalid(b64)"), (#"{"alg":"ES256","b64":true}"#, "headerInvalid(b64)"),
      (#"["ES256"]"#, "malformed"), (#"{"alg":"ES256"}x"#, "malformed"),
      (#"{"alg":"ES256","alg":"ES256"}"#, "malformed"),
      (#"{'alg':'ES256'}"#, "malformed"), ("", "malformed"),
      (#"{"alg":"ES256","x":[[[[[[[[1]]]]]]]]}"#, "limitExceeded(json)"),
    ])
  func headerRules(_ header: String, _ expected: String) throws {
    let key = try TestKeys.signing()
    let text = try token(header: header, with: key)
    #expect(refusal { _ = try JWS.verify(text, with: key.verificationKey) } == expected)
  }

  @Test("a declared critical extension is accepted and handed to the caller")
  func understoodExtension() throws {
    let key = try TestKeys.signing()
    let header = HeaderParameters(additional: ["urn:x": 7], critical: ["urn:x"])
    let text = try JWS.sign([], with: key, header: header)
    #expect(code { _ = try JWS.verify(text, with: key.verificationKey) } == .criticalHeaderUnsupported)
    let verified = try JWS.verify(text, with: key.verificationKey, understanding: ["urn:x"])
    #expect(verified.header.critical == ["urn:x"])
    #expect(verified.header["urn:x"] == 7)
  }

  @Test("a sender can't replace what follows from key and algorithm")
  func reservedParameters() throws {
    let key = try TestKeys.signing(keyID: "k")
    for name in ["alg", "enc", "zip", "crit", "b64", "epk", "apu", "apv", "kid"] {
      #expect(
        refusal { _ = try JWS.sign([], with: key, header: HeaderParameters(additional: [name: "x"])) }
          == "callerMisuse(\(name))")
    }
    #expect(
      refusal { _ = try JWS.sign([], with: key, header: HeaderParameters(critical: ["u"])) } == "callerMisuse(crit)")
  }

  @Test("attacker keys and URLs in the header choose nothing")
  func headerKeysAreIgnored() throws {
    let attacker = try SigningKey.generate(.es256)
    let jwk = String(decoding: try #require(attacker.verificationKey.publicJWK).serialized(), as: UTF8.self)
    let text = try token(header: "{\"alg\":\"ES256\",\"jwk\":\(jwk),\"jku\":\"https://evil.example\"}", with: attacker)
    #expect(code { _ = try JWS.verify(text, with: TestKeys.signing().verificationKey) } == .signatureInvalid)
  }

  @Test("five segments, JSON, dots and other shapes are no compact JWS")
  func shapes() throws {
    let key = try TestKeys.signing()
    let good = try JWS.sign([], with: key)
    for text in [
      "", ".", "..", "...", "a.b", good + ".", good + ".a.b", "." + good, good + "\n", "\u{FEFF}" + good, good + "\0",
      good.replacing(".", with: ".\u{301}"), good.replacing(".", with: "\u{FF0E}"), "{\"payload\":\"\"}", good + "=",
      String(repeating: ".", count: 1_000_000),
    ] {
      #expect(code { _ = try JWS.verify(text, with: key.verificationKey) } == .malformed)
    }
  }

  @Test("segments of every length up to three words are told apart")
  func segmentLengths() throws {
    let key = try TestKeys.hmac()
    for nameLength in 0..<12 {
      let header = HeaderParameters(type: String(repeating: "t", count: nameLength))
      for count in 0..<25 {
        let payload = [UInt8](repeating: 0x5A, count: count)
        let text = try JWS.sign(payload, with: key, header: header)
        #expect(try JWS.verify(text, with: key.verificationKey).payload == payload)
        for wrong in [text + ".", "." + text, String(text.dropFirst(text.prefix { $0 != "." }.count + 1))] {
          #expect(code { _ = try JWS.verify(wrong, with: key.verificationKey) } == .malformed)
        }
      }
    }
  }

  @Test(
    "a header of a few strings has the text that the object of them has", arguments: ["", "k", "a\"b\\c\u{1}d", "é/ü"])
  func plainHeaders(_ name: String) throws {
    let key = try SigningKey(secret: [UInt8](repeating: 7, count: 32), algorithm: .hs256, keyID: name)
    let header = HeaderParameters(type: "t\(name)", contentType: "c\(name)")
    let text = try JWS.sign([], with: key, header: header).prefix { $0 != "." }
    let object: JSONObject = [
      "alg": "HS256", "typ": .string("t\(name)"), "cty": .string("c\(name)"), "kid": .string(name),
    ]
    #expect(try Base64URL.decode(String(text)) == object.serialized())
  }

  @Test("the form of a whole token is looked at before its header")
  func formBeforeHeader() throws {
    let key = try TestKeys.hmac().verificationKey
    for signature in ["A", "AB", "A=", "*"] {
      #expect(code { _ = try JWS.verify("e30.e30.\(signature)", with: key) } == .malformed)
    }
    #expect(code { _ = try JWS.verify("e30.e30.AA", with: key) } == .headerInvalid)
  }

  @Test("limits: at the edge accepted, one past it refused")
  func limits() throws {
    let key = try TestKeys.signing()
    let text = try JWS.sign([1, 2, 3], with: key)
    var limits = Limits()
    limits.messageByteCount = text.utf8.count
    #expect(try JWS.verify(text, with: key.verificationKey, limits: limits).payload == [1, 2, 3])
    limits.messageByteCount -= 1
    #expect(code { _ = try JWS.verify(text, with: key.verificationKey, limits: limits) } == .limitExceeded)
    var named = Limits()
    named.keyIDByteCount = 4
    let short = try JWS.sign([], with: TestKeys.signing(keyID: "four"))
    #expect(try JWS.verify(short, with: key.verificationKey, limits: named).header.keyID == "four")
    let long = try JWS.sign([], with: TestKeys.signing(keyID: "fives"))
    #expect(
      refusal { _ = try JWS.verify(long, with: key.verificationKey, limits: named) } == "limitExceeded(keyIDByteCount)")
    let pad = #"{"alg":"ES256","pad":"\#(String(repeating: "x", count: 40_000))"}"#
    let wide = Base64URL.encode(pad.utf8) + ".." + Base64URL.encode([UInt8](repeating: 1, count: 64))
    #expect(refusal { _ = try JWS.verify(wide, with: key.verificationKey) } == "limitExceeded(headerByteCount)")
  }

  @Test("keys for another use, operation or algorithm are refused")
  func keyPolicy() throws {
    for (member, value) in [("use", "enc"), ("alg", "ES384"), ("alg", "ECDH-ES")] {
      var jwk = try JWK(parsing: TestKeys.es256)
      if member == "use" { jwk.use = value } else { jwk.algorithm = value }
      #expect(code { _ = try VerificationKey(jwk, algorithm: .es256) } == .keyMismatch)
    }
    var jwk = try JWK(parsing: TestKeys.es256)
    #expect(code { _ = try VerificationKey(jwk) } == .keyMismatch)
    #expect(code { _ = try VerificationKey(jwk, algorithm: .hs256) } == .keyMismatch)
    jwk.keyOperations = ["verify"]
    #expect(code { _ = try SigningKey(jwk, algorithm: .es256) } == .keyMismatch)
    #expect(try VerificationKey(jwk, algorithm: .es256).algorithm == .es256)
    #expect(code { _ = try SigningKey(#require(jwk.publicKey), algorithm: .es256) } == .keyMismatch)
    jwk.keyOperations = nil
    jwk.algorithm = "ES256K"
    #expect(code { _ = try VerificationKey(jwk) } == .keyMismatch)
    jwk.algorithm = "ES257"
    #expect(code { _ = try VerificationKey(jwk) } == .algorithmUnsupported)
  }

  @Test("no error shows the token")
  func errorsAreSilent() throws {
    let key = try TestKeys.signing()
    let text = try JWS.sign(Array("a very recognisable payload".utf8), with: key)
    let bytes = Array(text.utf8)
    for index in stride(from: 0, to: bytes.count, by: 3) {
      var copy = bytes
      copy[index] ^= 1
      do {
        _ = try JWS.verify(utf8: copy, with: key.verificationKey)
      } catch {
        var shown = "\(error) \(String(reflecting: error))"
        dump(error, to: &shown)
        for start in stride(from: 0, to: bytes.count - 8, by: 8) {
          #expect(!shown.contains(String(decoding: bytes[start..<start + 8], as: UTF8.self)))
        }
        #expect(!shown.contains("recognis"))
      }
    }
  }
}
