import StrictJSON

extension JWTVerifier {
  /// Says why a token is accepted or refused: for a developer who looks for the cause, never for a log or an answer.
  ///
  /// ``verify(_:as:)`` stops at the first thing that is wrong. This goes on, by the same checks, and its text repeats
  /// what the token says, authentic or not: see ``JWTExplanation``. Whether a token is good is for ``verify(_:as:)``
  /// alone to decide.
  /// - Parameter token: any text.
  public func explain(_ token: String) -> JWTExplanation {
    var explanation = JWTExplanation()
    explanation.attempt { () throws(JOSEError) in _ = try verify(token) }
    explain(token, &explanation)
    return explanation
  }

  /// What the checks say one by one, whatever the others say.
  func explain(_ text: String, _ explanation: inout JWTExplanation) {
    explanation.attempt { () throws(JOSEError) in try policy.requireSound() }
    let token: UnverifiedJWS
    do throws(JOSEError) {
      guard text.utf8.count <= policy.limits.tokenByteCount else { throw CompactSegments.tooLong("tokenByteCount") }
      token = try UnverifiedJWS(parsing: text, limits: policy.limits)
    } catch {
      return explanation.refuse(error)
    }
    let header = token.unverifiedHeader
    explanation.note("header")
    for (name, value) in header.parameters.members {
      explanation.note("  \(JWTExplanation.quoted(name))  \(JWTExplanation.shown(value))")
    }
    explanation.attempt { () throws(JOSEError) in
      try header.requireUnderstood(policy.understoodCriticalParameters)
    }
    explanation.attempt { () throws(JOSEError) in try requireClaims(header) }
    let key = source.explain(token, &explanation)
    if case .certificates(let trust, _) = source, let certificates = try? header.certificates(limits: trust.limits) {
      trust.explain(certificates, &explanation)
    }
    do throws(JOSEError) {
      var document = try token.claims.get()
      let registered = try RegisteredClaims(&document, datesMayBeText: policy.datesMayBeText)
      if case .certificates(let trust, _) = source {
        explanation.attempt { () throws(JOSEError) in try trust.requireName(of: registered.issuerName, header) }
      }
      policy.explain(header, claims: document.intoRoot(), registered: registered, key: key, &explanation)
    } catch {
      explanation.refuse(error)
    }
  }
}

extension VerificationKeySource {
  /// Each key, and why it was passed over. Returns the one that verified the signature.
  fileprivate func explain(_ token: UnverifiedJWS, _ explanation: inout JWTExplanation) -> VerificationKey? {
    let header = token.unverifiedHeader
    explanation.note("keys")
    switch self {
    case .key(let key):
      explanation.note("  \(Self.name(key.keyID)) (\(key.algorithm))")
    case .keySet(let set, let algorithms):
      explanation.note("  algorithms accepted: \(algorithms.map(\.description).joined(separator: ", "))")
      for (index, jwk) in set.keys.enumerated() {
        explanation.note(
          "  \(Self.name(jwk.keyID)) (\(jwk.keyType)): "
            + Self.verdict(jwk, at: index, of: set, among: algorithms, for: token))
      }
      for entry in set.unsupportedKeys {
        explanation.note("  \(Self.name(entry.keyID)), which can't be used: \(entry.reason)")
      }
    case .certificates(_, let algorithms):
      explanation.note("  algorithms accepted: \(algorithms.map(\.description).joined(separator: ", "))")
      explanation.note("  the key of the certificates in x5c")
    }
    do throws(JOSEError) {
      // What `crit` names has been asked about already.
      let key = try token.verifyingKey(self, understanding: header.critical)
      explanation.note("  the signature verifies with \(Self.name(key.keyID)) (\(key.algorithm))")
      return key
    } catch {
      explanation.note("  the signature doesn't verify: \(error)")
      explanation.refuse(error)
      return nil
    }
  }

  /// Why a key of a set is passed over, by the rules with which keys are chosen.
  private static func verdict(
    _ jwk: JWK, at index: Int, of set: JWKSet, among algorithms: [SignatureAlgorithm], for token: UnverifiedJWS
  ) -> String {
    let header = token.unverifiedHeader
    guard jwk.isMeant(byKeyID: header.keyID) else { return "passed over, its kid is another" }
    do throws(JOSEError) {
      let algorithm = try Self.accepted(header.algorithm, among: algorithms)
      let key = try Self.bound(jwk, at: index, of: set, to: algorithm, among: algorithms)
      _ = try token.verifyingKey(VerificationKeySource.key(key), understanding: header.critical)
      return "made the signature"
    } catch {
      return "passed over, \(error)"
    }
  }

  private static func name(_ keyID: String?) -> String {
    keyID.map { JWTExplanation.quoted($0) } ?? "a key without kid"
  }
}

extension JWTPolicy {
  /// Each claim, found and wanted, and what the checks say of it.
  fileprivate func explain(
    _ header: ProtectedHeader, claims: JSONView, registered: RegisteredClaims, key: VerificationKey?,
    _ explanation: inout JWTExplanation
  ) {
    let now = clock.now
    for check in Check.all {
      // What is demanded of the key can't be said where none has verified the signature.
      guard key != nil || check != .rules else { continue }
      // A list is asked for by a token that is good otherwise, and by no other.
      guard check != .status || explanation.refusals.isEmpty else { continue }
      explanation.attempt { () throws(JOSEError) in
        try require(check, header, claims: claims, registered: registered, key: key, now: now)
      }
    }
    let allowance = leeway == .zero ? "no leeway" : JWTExplanation.length(leeway.inSeconds)
    explanation.note("claims, at \(now.wholeSeconds) with \(allowance) for clocks")
    let object = (try? claims.object()) ?? [:]
    let wanted = wantedValues
    for (name, value) in object.members {
      var line = "  \(JWTExplanation.quoted(name))  found \(JWTExplanation.shown(value))"
      if ["exp", "nbf", "iat", "auth_time"].contains(WireName(name)), let seconds = value.numberValue?.double {
        line += ", \(JWTExplanation.distance(seconds - now.secondsSince1970))"
      }
      if let text = wanted[name] { line += ", \(text)" }
      explanation.note(line)
    }
    for name in wanted.keys.sorted() where object[name] == nil {
      explanation.note("  \(JWTExplanation.quoted(name))  absent, \(wanted[name] ?? "")")
    }
  }

  /// What the policy says of claims, for people.
  private var wantedValues: [String: String] {
    var wanted: [String: String] = [:]
    for name in requiredClaims { wanted[name] = "required" }
    if let names = issuer.names { wanted["iss"] = "wanted " + JWTExplanation.quoted(names) }
    switch audience {
    case .anyOf(let names): wanted["aud"] = "wanted one of " + JWTExplanation.quoted(names)
    case .allOf(let names): wanted["aud"] = "wanted all of " + JWTExplanation.quoted(names)
    case .ifPresent(let names): wanted["aud"] = "wanted none, or one of " + JWTExplanation.quoted(names)
    case .absent: wanted["aud"] = "wanted no claim"
    case .notChecked: break
    }
    if let subject { wanted["sub"] = "wanted " + JWTExplanation.quoted(subject) }
    if let maximumLifetime, maximumLifetime != Self.defaultMaximumLifetime {
      let length = JWTExplanation.length(maximumLifetime.inSeconds)
      wanted["exp"] = "wanted at most \(length) after the token was made"
    }
    if status.lists != nil {
      wanted["status"] = status.isRequired ? "wanted a valid one" : "wanted none, or a valid one"
    }
    if let maximumAge { wanted["iat"] = "wanted at most \(JWTExplanation.length(maximumAge.inSeconds)) ago" }
    return wanted
  }
}
