import JOSE
import PureJOSETestSupport
import Testing

/// What the vector file `certificates.json` does not say.
@Suite("Leaf certificates")
struct LeafCertificateTests {
  /// Version 3, the key of RFC 7515 A.3, a signature of zeros: nothing of it but the key is read.
  static let certificate: [UInt8] = {
    let info =
      DER.element(
        0x30,
        DER.element(
          0x30, [0x06, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1, 0x06, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]),
        DER.element(0x03, [0] + point))
    let algorithm = DER.element(0x30, [0x06, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2])
    let body = DER.element(
      0x30, DER.element(0xA0, [2, 1, 2]), [2, 1, 1], algorithm, DER.element(0x30), DER.element(0x30), DER.element(0x30),
      info)
    return DER.element(0x30, body, algorithm, DER.element(0x03, [UInt8](repeating: 0, count: 65)))
  }()

  private static let point = (try? JWK(parsing: TestKeys.es256).x963Representation).flatMap { $0 } ?? []

  @Test("the key comes out, and every shortened or lengthened certificate is refused")
  func lengths() throws {
    let whole = Self.certificate
    #expect(try LeafCertificate(derRepresentation: whole).isFor(JWK(parsing: TestKeys.es256)))
    #expect(try !LeafCertificate(derRepresentation: whole).isFor(JWK(parsing: TestKeys.ecdhES)))
    #expect(try !LeafCertificate(derRepresentation: whole).isFor(JWK(parsing: TestKeys.octets32)))
    for count in 0..<whole.count {
      #expect(refusal { _ = try LeafCertificate(derRepresentation: whole[..<count]) } == "malformed(x5c)")
    }
    #expect(refusal { _ = try LeafCertificate(derRepresentation: whole + [0]) } == "malformed(x5c)")
  }

  @Test("every single changed octet gives a certificate of some key or an error, never a trap")
  func changedOctets() {
    var octets = Self.certificate
    for index in octets.indices {
      for change: UInt8 in [1, 0x80, 0xFF] {
        octets[index] ^= change
        _ = try? LeafCertificate(derRepresentation: octets)
        octets[index] ^= change
      }
    }
    #expect((try? LeafCertificate(derRepresentation: octets)) != nil)
  }

  @Test("a JWK's certificate is for its key, and reading the JWK looks at none of it")
  func inJWK() throws {
    let text = try LeafCertificate(derRepresentation: Self.certificate)
    func key(_ changes: [String: JSONValue]) throws -> JWK {
      var object = try JSONObject(parsing: Array(TestKeys.es256.utf8))
      for (name, value) in changes { object[name] = value }
      return try JWK(object)
    }
    let x5c: JSONValue = [.string(Base64.encode(Self.certificate))]
    #expect(try key([:]).leafCertificate() == nil)
    #expect(try key(["x5c": x5c]).leafCertificate() != nil)
    let right: [String: JSONValue] = [
      "x5c": x5c, "x5t": .string(text.sha1Thumbprint), "x5t#S256": .string(text.sha256Thumbprint),
    ]
    #expect(try key(right).leafCertificate()?.derRepresentation == Self.certificate)
    for (changes, expected): ([String: JSONValue], String) in [
      (["x5c": "x"], "keyInvalid(x5c)"), (["x5c": []], "keyInvalid(x5c)"), (["x5c": ["AAAA"]], "malformed(x5c)"),
      (["x5c": x5c, "x5t": "AAAA"], "keyInvalid(x5t)"),
      (["x5c": x5c, "x5t#S256": .string(text.sha1Thumbprint)], "keyInvalid(x5t#S256)"),
    ] {
      let jwk = try key(changes)
      #expect(refusal { _ = try jwk.leafCertificate() } == expected)
    }
    var other = try JSONObject(parsing: Array(TestKeys.ecdhES.utf8))
    other["x5c"] = x5c
    let jwk = try JWK(other)
    #expect(refusal { _ = try jwk.leafCertificate() } == "keyMismatch(x5c)")
  }

  @Test("a verified JWT shows its certificate; an HMAC key has none")
  func ofToken() throws {
    let header = HeaderParameters(certificates: [Self.certificate])
    let token = try JWT.sign(["exp": 2_000_000_000] as JSONObject, with: TestKeys.signing(), header: header)
    let policy = JWTPolicy(issuer: .notChecked, audience: .notChecked)
    let verified = try JWTVerifier(key: TestKeys.signing().verificationKey, policy: policy).verify(token)
    #expect(try verified.leafCertificate()?.derRepresentation == Self.certificate)
    let byHMAC = try JWS.sign([1], with: TestKeys.hmac(), header: header)
    let other = try JWS.verify(byHMAC, with: TestKeys.hmac().verificationKey)
    #expect(refusal { _ = try other.leafCertificate() } == "keyMismatch(x5c)")
    #expect(try other.header.leafCertificate() != nil)
    // Limits are those that the caller gives.
    var limits = Limits.default
    limits.certificateCount = 0
    #expect(refusal { _ = try verified.leafCertificate(limits: limits) } == "limitExceeded(certificateCount)")
  }
}
