import PureCrypto
import StrictJSON

/// What one kind of token demands beyond what every policy can say. A rule sees only what has been verified.
struct ClaimRule: Sendable {
  let check: @Sendable (ClaimsUnderRule) throws(JOSEError) -> Void

  init(_ check: @escaping @Sendable (ClaimsUnderRule) throws(JOSEError) -> Void) {
    self.check = check
  }
}

/// A verified token as its rules see it.
struct ClaimsUnderRule {
  let header: ProtectedHeader
  let claims: JSONView
  let registered: RegisteredClaims
  /// The key that verified the signature; nil for a token that is only encrypted.
  let key: VerificationKey?
  let policy: JWTPolicy
  let now: NumericDate

  // MARK: Members of a known type

  /// The claim of this name. `null` says nothing, so it is as good as no claim.
  func value(_ name: String) -> JSONView? { claims[name].flatMap { $0.isNull ? nil : $0 } }

  /// The string of this name, or nil if it is absent.
  func string(_ name: String) throws(JOSEError) -> String? {
    guard let value = value(name) else { return nil }
    guard let string = try? value.string() else { throw Self.invalid("the claim is not a string", name) }
    return string
  }

  /// The string of this name, to be compared with others, or nil if it is absent.
  func name(_ name: String) throws(JOSEError) -> WireName? { try string(name).map { WireName($0) } }

  /// The date of this name, or nil if it is absent.
  func date(_ name: String) throws(JOSEError) -> NumericDate? {
    guard let value = value(name) else { return nil }
    guard let seconds = try? value.double() else { throw Self.invalid("the claim is not a date", name) }
    return NumericDate(saturating: seconds)
  }

  /// The object of this name.
  func object(_ name: String) throws(JOSEError) -> JSONView {
    guard let value = value(name) else { throw Self.missing(name) }
    guard value.kind == .object else { throw Self.invalid("the claim is not an object", name) }
    return value
  }

  /// Requires that a claim which may be absent is an array of strings.
  func requireStringsIfPresent(_ name: String) throws(JOSEError) {
    guard let value = value(name) else { return }
    guard value.kind == .array, value.elements.allSatisfy({ $0.kind == .string }) else {
      throw Self.invalid("the claim is not an array of strings", name)
    }
  }

  // MARK: Values

  /// Requires that a claim is this text.
  func require(_ name: String, is expected: String) throws(JOSEError) {
    guard let text = try string(name) else { throw Self.missing(name) }
    guard ConstantTime.equal(text.utf8, expected.utf8) else { throw Self.mismatch(name) }
  }

  /// Requires that a claim is absent, `null` or not: with it, the token is of another kind.
  func requireAbsent(_ names: String...) throws(JOSEError) {
    for name in names where claims[name] != nil {
      throw JOSEError(.claimMismatch, "a token of this kind has no such claim", name: name)
    }
  }

  // MARK: Errors

  static func missing(_ name: String) -> JOSEError {
    JOSEError(.claimMissing, "a required claim is absent", name: name)
  }

  static func mismatch(_ name: String) -> JOSEError {
    JOSEError(.claimMismatch, "the claim must have the required value", name: name)
  }

  static func invalid(_ text: StaticString, _ name: String) -> JOSEError {
    JOSEError(.claimInvalid, text, name: name)
  }
}

extension JWTPolicy {
  /// This policy with rules of one kind of token, whose clocks may differ by a minute.
  func with(
    _ check: @escaping @Sendable (ClaimsUnderRule) throws(JOSEError) -> Void
  ) -> JWTPolicy {
    var policy = self
    policy.leeway = .seconds(60)
    policy.refusesFutureIssuedAt = true
    policy.rules.append(ClaimRule(check))
    return policy
  }
}
