import JOSE

/// Tokens with claims: `jose jwt sign`, `jose jwt verify` and `jose jwt explain`.
struct JWTVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "sign": try sign(rest)
    case "verify": try verify(rest)
    case "explain": try explain(rest)
    case let other: throw .unknownWord(other, after: "jwt", among: ["sign", "verify", "explain"])
    }
  }

  // MARK: Signing

  private func sign(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(
      arguments, options: ["key", "password-file", "alg", "iss", "sub", "expires-in", "typ"],
      repeatable: ["aud", "claim", "claim-json"], flags: ["no-expiry"])
    try arguments.requireAtMostOneOperand()
    let jwk = try KeyFile.read(arguments, console).singleKey()
    let algorithm = try arguments.signatureAlgorithm(for: jwk)
    let key = try attempt { try SigningKey(jwk, orNamed: algorithm) }
    let claims = try claims(arguments)
    let token = try attempt { try JWT.sign(claims, with: key, type: arguments["typ"] ?? "JWT") }
    console.write(token + "\n")
  }

  /// The claims in the file that is the operand or on standard input, if there are any, and those of the options. None
  /// may be given twice.
  private func claims(_ arguments: Arguments) throws(CommandFailure) -> JSONObject {
    let input = arguments.operands.isEmpty && console.inputIsTyped() ? [] : try console.inputText(of: arguments)
    var claims: JSONObject = [:]
    if !input.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
      guard let object = try? JSONObject(parsing: input) else {
        throw .invalid("malformed: the claims are not a JSON object")
      }
      claims = object
    }
    var given: [(name: String, value: JSONValue)] = []
    for name in ["iss", "sub"] {
      if let text = arguments[name] { given.append((name, .string(text))) }
    }
    let audience = arguments.values("aud").map { JSONValue.string($0) }
    if !audience.isEmpty { given.append(("aud", audience.count == 1 ? audience[0] : .array(audience))) }
    for option in ["claim", "claim-json"] {
      for text in arguments.values(option) { given.append(try claim(text, isJSON: option == "claim-json")) }
    }
    let now = WallClock.system.now.wholeSeconds
    let isEnding = claims["exp"] != nil || given.contains { $0.name == "exp" }
    guard !arguments.has("no-expiry") || arguments["expires-in"] == nil && !isEnding else {
      throw .usage("--no-expiry goes without exp")
    }
    let isDecided = isEnding || arguments.has("no-expiry")
    if let seconds = try arguments.seconds("expires-in") ?? (isDecided ? nil : Self.defaultLifetime) {
      let (expiration, overflow) = now.addingReportingOverflow(seconds)
      guard !overflow else { throw .usage("--expires-in is too large") }
      given.append(("exp", .number(JSONNumber(expiration))))
    }
    for (name, value) in given {
      guard claims[name] == nil else { throw .usage("a claim is given twice") }
      claims[name] = value
    }
    if claims["iat"] == nil { claims["iat"] = .number(JSONNumber(now)) }
    // What no verifier would take is not signed.
    let complete = claims
    _ = try attempt { try RegisteredClaims(complete) }
    return claims
  }

  /// Seconds from `iat` to `exp` where nothing is said: without `exp` no verifier takes the token.
  private static let defaultLifetime = 600

  /// `NAME=VALUE`, the value as text or as JSON.
  private func claim(_ text: String, isJSON: Bool) throws(CommandFailure) -> (name: String, value: JSONValue) {
    guard let equals = text.utf8.firstIndex(of: 0x3D), equals > text.startIndex else {
      throw .usage("a claim is NAME=VALUE")
    }
    let name = String(text[..<equals])
    let value = String(text[text.utf8.index(after: equals)...])
    guard isJSON else {
      guard ["exp", "nbf", "iat"].contains(name) else { return (name, .string(value)) }
      guard let date = try? JSONValue(parsing: value.utf8), date.numberValue != nil else {
        throw .usage("exp, nbf and iat are seconds since 1970, as a number")
      }
      return (name, date)
    }
    guard let json = try? JSONValue(parsing: value.utf8) else { throw .usage("--claim-json is NAME=JSON") }
    return (name, json)
  }

  // MARK: Verifying

  private static func options(_ arguments: [String]) throws(CommandFailure) -> Arguments {
    let arguments = try Arguments(
      arguments,
      options: [
        "key", "password-file", "iss", "issuer", "cacert", "aud", "typ", "leeway", "at", "nonce", "profile",
        "max-lifetime", "max-work",
      ],
      repeatable: ["alg", "require"], flags: ["plain-http"])
    try arguments.requireAtMostOneOperand()
    guard arguments["issuer"] != nil || arguments["cacert"] == nil && !arguments.has("plain-http") else {
      throw .usage("--cacert and --plain-http go with --issuer")
    }
    return arguments
  }

  private func verify(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Self.options(arguments)
    let policy = try policy(arguments)
    let claims: JSONObject
    if let issuer = try issuerKeys(arguments) {
      let verifier = RemoteJWTVerifier(keys: issuer.keys, algorithms: try asymmetric(arguments), policy: policy)
      let token = try console.readToken(arguments)
      claims = try waiting { () async throws(CommandFailure) -> JSONObject in
        do throws(JOSEError) {
          return try await verifier.verify(token).claims
        } catch {
          throw issuer.failure(error)
        }
      }
    } else {
      let verifier = try arguments.verifier(policy, console)
      let token = try console.readToken(arguments)
      claims = try attempt(upTo: policy.limits) { try verifier.verify(token).claims }
    }
    if let nonce = arguments["nonce"] {
      guard case .string(let text)? = claims["nonce"], Array(text.utf8) == Array(nonce.utf8) else {
        throw .invalid("claimMismatch(nonce): the claim is absent or not the one required")
      }
    }
    console.write(claims.serialized() + [0x0A])
  }

  /// Shows why a token is accepted or refused, whatever is wrong with it.
  private func explain(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Self.options(arguments)
    guard arguments["nonce"] == nil || arguments["profile"] == JWTProfile.idToken.rawValue else {
      throw .usage("--nonce is explained with --profile id-token")
    }
    let policy = try policy(arguments)
    let verifier: JWTVerifier
    if let issuer = try issuerKeys(arguments) {
      let known = try waiting { () async throws(CommandFailure) -> JWKSet in
        do throws(JOSEError) {
          return try await issuer.keys.keys()
        } catch {
          throw issuer.failure(error)
        }
      }
      verifier = JWTVerifier(keys: known, algorithms: try asymmetric(arguments), policy: policy)
    } else {
      verifier = try arguments.verifier(policy, console)
    }
    let explanation = verifier.explain(try console.readToken(arguments))
    console.write(HelpLayout.folded(explanation.description) + "\n")
    if let refusal = explanation.refusals.first { throw CommandFailure(refusal) }
  }

  private func policy(_ arguments: Arguments) throws(CommandFailure) -> JWTPolicy {
    let issuer = try arguments.required(arguments["issuer"] == nil ? "iss" : "issuer")
    let audience = try arguments.required("aud")
    var policy =
      try JWTProfile(arguments)?.policy(issuer: issuer, audience: audience, nonce: arguments["nonce"])
      ?? JWTPolicy(issuer: .anyOf([issuer]), audience: .anyOf([audience]))
    if let type = arguments["typ"] {
      guard arguments["profile"] == nil || policy.type.accepts(type) else {
        throw .usage("tokens of this profile don't have this --typ")
      }
      policy.type = .anyOf([type])
    }
    if let text = arguments["leeway"] {
      guard let seconds = Int(text), (0...600).contains(seconds) else { throw .usage("--leeway is 0 to 600 seconds") }
      policy.leeway = .seconds(seconds)
    }
    policy.clock = try arguments.clock()
    try policy.raise(arguments)
    policy.requiredClaims += arguments.values("require")
    return policy
  }

  /// The keys that the issuer of `--issuer` publishes; nil where keys are in a file.
  private func issuerKeys(_ arguments: Arguments) throws(CommandFailure) -> IssuerKeys? {
    guard let issuer = arguments["issuer"] else { return nil }
    guard arguments["key"] == nil, arguments["iss"] == nil else {
      throw .usage("--issuer stands for --iss and --key: its keys are those that it publishes")
    }
    return IssuerKeys(issuer: issuer, curl: try arguments.curl(to: issuer), transport: console.transport)
  }

  /// The algorithms accepted of keys that everybody can fetch.
  private func asymmetric(_ arguments: Arguments) throws(CommandFailure) -> [SignatureAlgorithm] {
    try arguments.signatureAlgorithms().filter { $0.row.keyType != .oct }
  }
}
