import JOSE
import PureCrypto
import StrictJSON
import Testing

@Suite("JWTs whose key comes with its certificates")
struct CertificateTokenTests {
  /// An extension by which an authority marks what a key is for.
  private static let marker = "1.2.840.113635.100.8.11.1"

  /// Certificates are signed anew each time that they are asked for, and a root is known by its octets.
  private static let world: CertificateWorld = {
    var world = CertificateWorld.shared
    let root = world.root.certificate
    world.roots = { _ in [root] }
    return world
  }()

  private func token(
    _ world: CertificateWorld, certificates: [[UInt8]]? = nil, key: P256PrivateKey? = nil,
    additional: JSONObject = [:], claims: String = #"{"iss":"a","aud":"b","exp":2000000000}"#
  ) throws -> String {
    let key = try SigningKey(pemRepresentation: (key ?? world.leafKey).pemRepresentation, algorithm: .es256)
    // The chain as the App Store sends it: leaf, authority, root.
    let chain = certificates ?? world.chain(world) + world.roots(world)
    var header = HeaderParameters(additional: additional)
    header.additional["x5c"] = .array(chain.map { .string(Base64.encode($0)) })
    return try JWS.sign(claims.utf8, with: key, header: header)
  }

  private func verdict(
    _ token: String, _ world: CertificateWorld = world, algorithms: [SignatureAlgorithm] = [.es256],
    _ change: (inout CertificateTrust) -> Void = { _ in }
  ) throws -> String {
    var trust = try world.trust()
    trust.requiredExtension = Self.marker
    change(&trust)
    let policy = JWTPolicy(
      issuer: .anyOf(["a"]), audience: .anyOf(["b"]), clock: .fixed(at: NumericDate(1_900_000_000)))
    let verifier = JWTVerifier(trust: trust, algorithms: algorithms, policy: policy)
    let verdict = refusal { _ = try verifier.verify(token) }
    #expect(refusal { _ = try verifier.verify(parsed: UnverifiedJWS(parsing: token)) } == verdict)
    #expect(verifier.explain(token).refusals.isEmpty == (verdict == "accepted"))
    return verdict
  }

  @Test func `a chain of three to a root that is trusted`() throws {
    let world = Self.world
    let token = try token(world)
    #expect(try verdict(token) == "accepted")
    // The root may be left out.
    #expect(try verdict(self.token(world, certificates: world.chain(world))) == "accepted")
    let verifier = JWTVerifier(
      trust: try world.trust(), algorithms: [.es256],
      policy: JWTPolicy(issuer: .anyOf(["a"]), audience: .anyOf(["b"])))
    #expect(try verifier.verify(token).key.publicJWK?.x963Representation == world.leafKey.publicKey.x963Representation)
  }

  @Test func `a token with another root, order or key, or without certificates, is refused`() throws {
    let world = Self.world
    let token = try token(world)
    var other = world
    other.roots = { _ in CertificateWorld.shared.authorityAsRoot }
    #expect(try verdict(token, other) != "accepted")
    let chain = world.chain(world) + world.roots(world)
    let reversed = try self.token(world, certificates: chain.reversed())
    #expect(try verdict(reversed).hasPrefix("certificateInvalid"))
    #expect(try verdict(self.token(world, key: world.otherKey)) == "signatureInvalid")
    #expect(try verdict(self.token(world, certificates: [])) == "headerInvalid(x5c)")
    let bare = try JWS.sign("{}".utf8, with: TestKeys.signing())
    #expect(try verdict(bare) == "headerInvalid(x5c)")
    #expect(try verdict(token, algorithms: [.es384]) == "algorithmNotAllowed(alg)")
    #expect(try verdict(token, algorithms: []) == "callerMisuse(algorithms)")
  }

  @Test func `certificates are valid at a date, and claims at another`() throws {
    let token = try token(Self.world)
    #expect(
      try verdict(token) { $0.clock = .fixed(at: NumericDate(4_000_000_000)) } == "certificateInvalid(x5c[0].notAfter)")
    #expect(try verdict(token) { $0.clock = .fixed(at: NumericDate(0)) } == "certificateInvalid(x5c[0].notBefore)")
  }

  @Test func `the leaf must have the required extended key usage and extension`() throws {
    let token = try token(Self.world)
    #expect(
      try verdict(token) { $0.requiredExtension = "1.2.840.113635.100.6.11.1" }
        == "certificateInvalid(x5c[0].requiredExtension)")
    #expect(try verdict(token) { $0.requiredExtension = "no number" } == "callerMisuse(requiredExtension)")
    #expect(
      try verdict(token) { $0.extendedKeyUsage = "1.3.6.1.5.5.7.3.8" } == "certificateInvalid(x5c[0].extKeyUsage)")
  }

  @Test func `the first certificate names the issuer of the token, where it must`() throws {
    let url = "https://Hr.example.com/tenant/1"
    func verdict(_ names: [CertificateNameTests.Name], _ issuer: String? = url, names isAsked: Bool = true) throws
      -> String
    {
      var world = CertificateWorld.shared
      let root = world.root.certificate
      world.roots = { _ in [root] }
      if !names.isEmpty { world.leaf.extensions.append(CertificateNameTests.alternativeNames(names)) }
      let claims = issuer.map { #"{"iss":"\#($0)","exp":2000000000}"# } ?? #"{"exp":2000000000}"#
      var trust = try world.trust()
      trust.namesIssuer = isAsked
      let policy = JWTPolicy(issuer: .notChecked, audience: .notChecked, clock: .fixed(at: NumericDate(1_900_000_000)))
      let verifier = JWTVerifier(trust: trust, algorithms: [.es256], policy: policy)
      let token = try token(world, claims: claims)
      let verdict = refusal { _ = try verifier.verify(token) }
      #expect(verifier.explain(token).refusals.isEmpty == (verdict == "accepted"))
      return verdict
    }
    let refused = "certificateInvalid(x5c[0].subjectAltName)"
    for names: [CertificateNameTests.Name] in [
      [.uri(url)], [.dns("hr.example.com")], [.dns("HR.EXAMPLE.COM")], [.dns("other.example"), .uri(url)],
    ] {
      #expect(try verdict(names) == "accepted")
    }
    for names: [CertificateNameTests.Name] in [
      [], [.dns("*.example.com")], [.dns("example.com")], [.dns("hr.example.com.evil")], [.uri(url + "/")],
      [.uri("https://hr.example.com/tenant/1")], [.email("hr@hr.example.com")],
    ] {
      #expect(try verdict(names) == refused)
      #expect(try verdict(names, names: false) == "accepted")
    }
    // A name that is no https URL is named as a URI alone.
    #expect(try verdict([.dns("hr.example.com")], "http://hr.example.com") == refused)
    #expect(try verdict([.dns("hr.example.com")], "hr.example.com") == refused)
    #expect(try verdict([.uri("did:example:1")], "did:example:1") == "accepted")
    #expect(try verdict([.uri(url)], nil) == "claimMissing(iss)")
  }

  @Test func `a key in the header beside the certificates decides nothing`() throws {
    let world = Self.world
    for key in [world.otherKey, world.leafKey] {
      let jwk = try JWK(derRepresentation: key.publicKey.derRepresentation).publicJSONObject()
      let token = try token(world, key: key, additional: ["jwk": .object(jwk)])
      #expect(try verdict(token) == "headerInvalid(jwk)")
    }
  }
}

extension CertificateWorld {
  /// A root with the name of the one that is trusted, and another key.
  fileprivate var authorityAsRoot: [[UInt8]] {
    var root = root
    let key = P384PrivateKey()
    root.publicKey = key.publicKey.derRepresentation
    root.sign = { key.signature(for: $0).derRepresentation }
    return [root.certificate]
  }
}
