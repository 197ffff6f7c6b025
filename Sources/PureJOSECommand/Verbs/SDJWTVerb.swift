import JOSE
import StrictJSON

/// Tokens with selective disclosure: `jose sd-jwt issue`, `present`, `verify` and `inspect`.
struct SDJWTVerb {
  let console: Console

  static let usage = """
    jose sd-jwt issue --key FILE [--password-file FILE] [--alg ALG] --typ TYPE [--disclose PATH] … [--decoys N] [--holder FILE] < CLAIMS
      Writes an SD-JWT (RFC 9901) of the claims on standard input, a JSON object. Its holder may keep the claims that --disclose names from a
      verifier: email, address.street, nationalities[0], or a JSON array of names and places. --decoys puts that many digests without a
      claim beside those. --holder: the JWK of the holder, who proves with it to be the one who shows the token. TYPE is what the token is
      for: dc+sd-jwt is that of credentials.
      Example  jose sd-jwt issue --key issuer.json --typ dc+sd-jwt --disclose email --holder wallet.json < claims.json
    jose sd-jwt present [--show PATH] … [--key FILE [--password-file FILE] [--alg ALG] --aud S --nonce S] [TOKEN-OR-FILE]
      Writes the token with the disclosures alone that --show names, and those around them. With --key, the holder's, it is bound to the
      verifier that --aud names and to its nonce.
      Example  jose sd-jwt present --show email --key wallet.json --aud https://shop.example --nonce n1 < token
    jose sd-jwt verify --key FILE [--password-file FILE] [--alg ALG] … [--iss S] [--typ TYPE] [--vct TYPE] … [--require CLAIM] … [--aud S --nonce S] [--at UNIXTIME] [TOKEN-OR-FILE]
      Writes the claims that are shown, if the signature is the issuer's, each disclosure belongs to it, and the times fit now. FILE holds the
      issuer's public JWK, a JWK Set, or a public key in PEM. With --vct it must be a credential of that type, or of one of them. With --aud and --nonce the holder must have bound the token to both. --at checks
      as of another time.
      Example  jose sd-jwt verify --key issuer.json --typ dc+sd-jwt --aud https://shop.example --nonce n1 < presentation
    jose sd-jwt inspect [TOKEN-OR-FILE]
      Writes what the token says and which claims it discloses, without verifying it.
      Example  jose sd-jwt inspect < token

    """

  func run(_ arguments: [String]) throws(CommandFailure) {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "issue": try issue(rest)
    case "present": try present(rest)
    case "verify": try verify(rest)
    case "inspect": try inspect(rest)
    case let other: throw .unknownWord(other, after: "sd-jwt", among: ["issue", "present", "verify", "inspect"])
    }
  }

  private func issue(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(
      arguments, options: ["key", "password-file", "alg", "typ", "decoys", "holder"], repeatable: ["disclose"])
    try arguments.requireNoOperands()
    let type = try arguments.required("typ")
    let jwk = try KeyFile.read(arguments, console).singleKey()
    let algorithm = try arguments.signatureAlgorithm(for: jwk)
    let paths = try arguments.paths("disclose")
    let decoys = try arguments.number("decoys") ?? 0
    let holder =
      arguments["holder"] == nil ? nil : try KeyFile.read(arguments, console, option: "holder").singleKey().publicKey
    let input = try console.input(of: arguments, upTo: .payload(arguments))
    let token = try attempt {
      let claims = try JSONObject(parsing: input, within: Limits.default.claimsJSON)
      return try SDJWT.issue(
        claims, disclosing: paths, decoys: decoys, holder: holder, with: SigningKey(jwk, orNamed: algorithm),
        type: type)
    }
    console.write(token.compact + "\n")
  }

  private func present(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(
      arguments, options: ["key", "password-file", "alg", "aud", "nonce"], repeatable: ["show"])
    let paths = try arguments.paths("show")
    var holder: (key: SigningKey, audience: String, nonce: String)?
    if arguments["key"] != nil {
      let jwk = try KeyFile.read(arguments, console).singleKey()
      let algorithm = try arguments.signatureAlgorithm(for: jwk)
      holder = (
        try attempt { try SigningKey(jwk, orNamed: algorithm) }, try arguments.required("aud"),
        try arguments.required("nonce")
      )
    } else {
      guard arguments["aud"] == nil, arguments["nonce"] == nil else { throw .usage("--aud and --nonce go with --key") }
    }
    let text = try console.readToken(arguments)
    let presented = try attempt {
      let presented = try SDJWT(parsing: text).presenting(paths)
      guard let holder else { return presented }
      return try presented.bound(to: holder.audience, nonce: holder.nonce, with: holder.key)
    }
    console.write(presented.compact + "\n")
  }

  private func verify(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(
      arguments, options: ["key", "password-file", "iss", "typ", "aud", "nonce", "at"],
      repeatable: ["alg", "vct", "require"])
    var binding = KeyBindingPolicy.ignored
    switch (arguments["aud"], arguments["nonce"]) {
    case (nil, nil): break
    case (let audience?, let nonce?): binding = .required(audience: audience, nonce: nonce)
    default: throw .usage("--aud and --nonce go together")
    }
    let policy = JWTPolicy(
      issuer: arguments["iss"].map { .anyOf([$0]) } ?? .notChecked, audience: .notChecked,
      type: arguments["typ"].map { .anyOf([$0]) } ?? .notChecked, requiredClaims: arguments.values("require"),
      clock: try arguments.clock())
    let issuer = try arguments.verifier(policy, console, isForStrangers: true)
    let text = try console.readToken(arguments)
    var verifier = SDJWTVerifier(verifier: issuer, keyBinding: binding)
    if !arguments.values("vct").isEmpty { verifier.credentialTypes = arguments.values("vct") }
    let claims = try attempt {
      let verified: VerifiedSDJWT<JSONObject> = try verifier.verify(text)
      return verified.claims
    }
    console.write(claims.serialized() + [0x0A])
  }

  private func inspect(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: [])
    let text = try console.readToken(arguments)
    let shown = try attempt {
      let token = try SDJWT(parsing: text)
      let issuer = try UnverifiedJWS(parsing: token.issuerToken)
      return JSONObject([
        ("header", .object(issuer.unverifiedHeader.parameters)),
        ("claims", .object(try token.processed(.default).claims)),
        ("disclosed", .array(try token.disclosedPaths().map { .string($0.description) })),
        ("bound", .bool(token.isBound)),
      ])
    }
    console.write(shown.serialized() + [0x0A])
  }
}

extension Arguments {
  /// The paths that an option names: `address.street`, `nationalities[0]`, or a JSON array of names and places.
  fileprivate func paths(_ option: String) throws(CommandFailure) -> [ClaimPath] {
    var paths: [ClaimPath] = []
    for text in values(option) {
      guard let path = ClaimPath(argument: text) else {
        throw .usage("--\(option) is a path such as address.street or nationalities[0]")
      }
      paths.append(path)
    }
    return paths
  }
}

extension ClaimPath {
  /// Nil for a text that is no path.
  fileprivate init?(argument text: String) {
    if text.utf8.first == 0x5B {
      guard let elements = try? JSONValue(parsing: text.utf8).arrayValue, !elements.isEmpty else { return nil }
      var steps: [Step] = []
      for element in elements {
        if let name = element.stringValue {
          steps.append(.member(name))
        } else if let place = element.numberValue?.int64, place >= 0 {
          steps.append(.element(Int(place)))
        } else {
          return nil
        }
      }
      self.init(steps)
      return
    }
    var steps: [Step] = []
    for part in text.split(separator: ".", omittingEmptySubsequences: false) {
      let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
      guard let name = pieces.first, !name.isEmpty else { return nil }
      steps.append(.member(String(name)))
      for piece in pieces.dropFirst() {
        guard piece.last == "]", let place = Int(piece.dropLast()), place >= 0 else { return nil }
        steps.append(.element(place))
      }
    }
    self.init(steps)
  }
}
