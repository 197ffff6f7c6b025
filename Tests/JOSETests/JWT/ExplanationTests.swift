import PureCrypto
import StrictJSON
import Testing

@testable import JOSE

@Suite("JWTVerifier.explain") struct ExplanationTests {
  private static let now = 1_800_000_000
  private static let signer = JWK.generate(.es256, keyID: "first")
  private static let other = JWK.generate(.es256, keyID: "second")
  private static let secret = JWK.generate(.hs256, keyID: "secret")

  private static func verifier(_ change: (inout JWTPolicy) -> Void = { _ in }) -> JWTVerifier {
    var policy = JWTPolicy(
      issuer: .anyOf(["https://idp.example.com"]), audience: .anyOf(["api"]), clock: .fixed(at: NumericDate(now)))
    change(&policy)
    return JWTVerifier(
      keys: JWKSet([signer, other, secret].map { $0.publicKey ?? $0 }), algorithms: [.es256, .es384], policy: policy)
  }

  private static func claims(_ changes: [String: JSONValue?] = [:]) -> JSONObject {
    var claims: JSONObject = [
      "iss": "https://idp.example.com", "aud": "api", "sub": "jane", "exp": .number(JSONNumber(now + 300)),
    ]
    for (name, value) in changes { claims[name] = value }
    return claims
  }

  /// What doesn't agree between the explanation of a token and what `verify` says.
  private static func disagreement(
    _ token: String, _ verifier: JWTVerifier, planted: JWTVerifier? = nil
  ) -> String? {
    var verdict: JOSEError?
    do throws(JOSEError) { _ = try verifier.verify(token) } catch { verdict = error }
    let explanation = (planted ?? verifier).explain(token)
    // By the single steps, without the call of `verify`.
    var steps = JWTExplanation()
    (planted ?? verifier).explain(token, &steps)
    guard explanation.refusals.first == verdict else { return "\(explanation.refusals) instead of \(verdict as Any)" }
    guard steps.refusals.isEmpty == (verdict == nil) else { return "\(steps.refusals) but \(verdict as Any)" }
    return nil
  }

  @Test("the verdict of explain and that of verify agree, whatever the token")
  func agreement() throws {
    let verifiers = [
      Self.verifier(), Self.verifier { $0.maximumAge = .seconds(60) }, Self.verifier { $0.subject = "john" },
      Self.verifier { $0.requiredClaims.append("jti") }, Self.verifier { $0.type = .anyOf(["at+jwt"]) },
      Self.verifier { $0.leeway = .seconds(-1) }, Self.verifier { $0.audience = .absent },
      JWTVerifier(key: try VerificationKey(#require(Self.signer.publicKey)), policy: Self.verifier().policy),
      JWTVerifier(keys: JWKSet([]), algorithms: [.es256], policy: Self.verifier().policy),
      JWTVerifier(keys: JWKSet([Self.signer]), algorithms: [], policy: Self.verifier().policy),
    ]
    let changes: [[String: JSONValue?]] = [
      [:], ["iss": nil], ["iss": 1], ["aud": "web"], ["aud": ["api", "web"]], ["exp": nil], ["exp": 1], ["exp": "1"],
      ["nbf": .number(JSONNumber(Self.now + 30))], ["cnf": ["jkt": "a"]], ["sub": .null], ["iat": 5], ["jti": "1"],
    ]
    var tokens: [String] = ["", "..", "a.b.c", "{}"]
    for change in changes {
      for key in [Self.signer, Self.other, JWK.generate(.es256, keyID: "first"), JWK.generate(.es256), Self.secret] {
        tokens.append(try JWT.sign(Self.claims(change), with: SigningKey(key)))
      }
    }
    tokens.append(try JWT.sign(Self.claims(), with: SigningKey(Self.signer), type: "at+jwt"))
    for content in ["JWT", "text"] {
      let header = HeaderParameters(contentType: content)
      tokens.append(try JWT.sign(Self.claims(), with: SigningKey(Self.signer), header: header))
    }
    tokens.append(try JWS.sign("[]".utf8, with: SigningKey(Self.signer)))
    var random = SystemRandomNumberGenerator()
    for token in tokens where !token.isEmpty {
      var octets = Array(token.utf8)
      octets[Int.random(in: octets.indices, using: &random)] = UInt8.random(in: 0x2D...0x7A, using: &random)
      tokens.append(String(decoding: octets, as: UTF8.self))
      tokens.append(String(token.prefix(Int.random(in: 0..<token.utf8.count, using: &random))))
    }
    for verifier in verifiers {
      for token in tokens {
        if let text = Self.disagreement(token, verifier) { Issue.record("\(text) for \(token)") }
      }
    }
  }

  @Test("a difference between the two is found")
  func plantedDifference() throws {
    let token = try JWT.sign(Self.claims(), with: SigningKey(Self.signer))
    let stricter = Self.verifier { $0.subject = "john" }
    #expect(Self.disagreement(token, Self.verifier(), planted: stricter) != nil)
    #expect(Self.disagreement(token, stricter, planted: Self.verifier()) != nil)
    #expect(Self.disagreement(token, stricter) == nil)
  }

  @Test("the text has header, keys with the reason of each, and claims found and wanted")
  func text() throws {
    let token = try JWT.sign(
      Self.claims(["exp": .number(JSONNumber(Self.now - 90)), "iss": "https://other.example.com", "sub": "a\u{7}é"]),
      with: SigningKey(Self.signer))
    let explanation = Self.verifier { $0.requiredClaims.append("jti") }.explain(token)
    #expect(explanation.refusals.map(\.name) == ["jti", "iss", "exp"])
    let text = explanation.description
    for part in [
      "refused\n", "\"alg\"  \"ES256\"", "\"first\" (EC): made the signature",
      "\"second\" (EC): passed over, its kid is another", "the signature verifies with \"first\" (ES256)",
      "found \"https://other.example.com\", wanted \"https://idp.example.com\"", "1 min 30 s ago",
      "\"jti\"  absent, required", "with no leeway for clocks", "\"a\\u{7}\\u{e9}\"", "wanted one of \"api\"",
    ] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
    #expect(text.utf8.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
  }

  @Test("an accepted token is explained as well, and one that can't be taken apart")
  func extremes() throws {
    let token = try JWT.sign(Self.claims(), with: SigningKey(Self.signer))
    let explanation = Self.verifier().explain(token)
    #expect(explanation.refusals.isEmpty && explanation.description.hasPrefix("accepted\nheader"))
    #expect(Self.verifier().explain("Bearer \(token)").description.contains("remove"))
    #expect(Self.verifier().explain("").refusals.count == 1)
  }
}
