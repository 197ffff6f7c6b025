import JOSE
import StrictJSON

/// Verification of JWT under a policy, signed or signed and then encrypted.
struct JWTVerifyGroup: BareGroup {
  func run(_ test: MemberReader) throws -> Verdict {
    let policy = try JWTPolicy(reading: try test.object("jwt"))
    let claims = try test.jsonObject(ifPresent: "claims")
    let contentEncryption = try test.strings(ifPresent: "encs")
    let inner = try test.object(ifPresent: "inner")
    let outer = try TokenTest(reading: test)
    guard let contentEncryption else { return try judge(outer.token, try JWSVerification(outer), policy, claims) }
    let decryption = try JWEDecryption(outer, contentEncryption: contentEncryption)
    guard let inner else { throw VectorFault.notImplemented("JWT that is encrypted and not signed") }
    // The token inside, to see whether its algorithm is one that the package has. One that doesn't open asks for none.
    var token = ""
    let opened = try verdict {
      token = String(decoding: try decryption.run(outer.token).plaintext, as: UTF8.self)
      return .accepted
    }
    let verification = try JWSVerification(try TokenTest(reading: inner, token: token))
    let outcome = try verdict {
      let nested = try decryption.nestedVerifier(around: verification.verifier(policy: policy))
      return judge(try nested.verify(outer.token), claims)
    }
    if case .refused = opened, case .accepted = outcome { return .wrong("verifies but does not open") }
    return outcome
  }

  private func judge(
    _ token: String, _ verification: JWSVerification, _ policy: JWTPolicy, _ claims: JSONObject?
  ) throws -> Verdict {
    judge(try verification.verifier(policy: policy).verify(token), claims)
  }

  private func judge(_ verified: VerifiedJWT<JSONObject>, _ claims: JSONObject?) -> Verdict {
    guard let claims else { return .accepted }
    return .accepted(
      if: JSONValue.object(verified.claims).denotesSame(as: .object(claims)), otherwise: "the claims differ")
  }
}

extension JWTPolicy {
  /// Reads the members that say what the caller requires.
  fileprivate init(reading policy: MemberReader) throws(VectorFault) {
    guard let now = try policy.value("now").doubleValue.flatMap({ NumericDate(secondsSince1970: $0) }) else {
      throw .malformed("member now is not a date")
    }
    let issuer = try policy.string(ifPresent: "issuer")
    let audience = try policy.string(ifPresent: "audience")
    let type = try policy.string(ifPresent: "typ")
    self.init(
      issuer: issuer.map { .anyOf([$0]) } ?? .notChecked, audience: audience.map { .anyOf([$0]) } ?? .absent,
      type: type.map { .anyOf([$0]) } ?? .notChecked, subject: try policy.string(ifPresent: "subject"),
      requiredClaims: try policy.strings(ifPresent: "requiredClaims") ?? [],
      leeway: .seconds(try policy.integer(ifPresent: "leeway") ?? 0), clock: .fixed(at: now))
    // Vectors have dates up to the largest number.
    maximumLifetime = nil
  }
}

extension JSONValue {
  /// Whether both are the same value, numbers compared as numbers: 1.50e1 is 15.
  func denotesSame(as other: JSONValue) -> Bool {
    switch (self, other) {
    case (.number(let left), .number(let right)):
      left == right || left.double == right.double
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.denotesSame(as: $1) }
    case (.object(let left), .object(let right)):
      left.count == right.count
        && left.members.allSatisfy { member in right[member.name].map { member.value.denotesSame(as: $0) } ?? false }
    default:
      self == other
    }
  }
}
