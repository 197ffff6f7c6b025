import JOSE

struct EncryptVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(
      arguments,
      options: [
        "alg", "enc", "apu", "apv", "typ", "cty", "kid", "serialization", "aad", "p2c", "max-size", "sign-key",
        "sign-alg", "password-file",
      ] + SharedOfHPKE.options, repeatable: ["key"])
    try arguments.requireAtMostOneOperand()
    var contentEncryption: ContentEncryptionAlgorithm?
    if let name = arguments["enc"] {
      contentEncryption = ContentEncryptionAlgorithm(name: name)
      guard contentEncryption != nil else {
        throw .notImplemented(
          "content encryption algorithm", name, among: ContentEncryptionAlgorithm.allCases.map(\.description))
      }
    }
    let partyUInfo: AgreementPartyInfo = try arguments.octets("apu").map { .octets($0) } ?? .absent
    let partyVInfo: AgreementPartyInfo = try arguments.octets("apv").map { .octets($0) } ?? .absent
    let additional = try arguments.octets("aad")
    let header = HeaderParameters(
      type: arguments["typ"], contentType: arguments["cty"], keyID: arguments["kid"])
    let jwks = try KeyFile.readAll(arguments, console)
    let serialization = try arguments.serialization(keyCount: jwks.count)
    guard serialization != nil || additional == nil else { throw .usage("--aad needs a JSON serialization") }
    guard serialization == nil || arguments["apu"] == nil && arguments["apv"] == nil else {
      throw .usage("--apu and --apv go with compact tokens")
    }
    let signingKey = try signingKey(arguments, isCompact: serialization == nil)
    var keys = try encryptionKeys(jwks, arguments)
    if let shared = try SharedOfHPKE(arguments, console) {
      guard keys.count == 1 else { throw .usage("--info and --psk go with a single key") }
      keys = [try attempt { try shared.bound(keys[0]) }]
    }
    remark(jwks, arguments)
    let input = try console.input(of: arguments, upTo: .payload(arguments))
    let encrypted = try attempt {
      if let serialization {
        return try JWE.encryptJSON(
          input, to: keys.map { JWERecipient(key: $0) }, contentEncryption: contentEncryption, header: header,
          additionalAuthenticatedData: additional, serialization: serialization)
      }
      if let signingKey {
        let claims = try JSONValue.object(claims: input)
        return try JWT.signAndEncrypt(
          claims, with: signingKey, to: keys[0], contentEncryption: contentEncryption, encryptionHeader: header)
      }
      return try JWE.encrypt(
        input, to: keys[0], contentEncryption: contentEncryption, header: header, agreementPartyUInfo: partyUInfo,
        agreementPartyVInfo: partyVInfo)
    }
    console.write(encrypted + "\n")
  }

  /// The key that signs what is encrypted then, if one is named.
  private func signingKey(_ arguments: Arguments, isCompact: Bool) throws(CommandFailure) -> SigningKey? {
    guard arguments["sign-key"] != nil else {
      guard arguments["sign-alg"] == nil else { throw .usage("--sign-alg goes with --sign-key") }
      return nil
    }
    guard isCompact, arguments["apu"] == nil, arguments["apv"] == nil, arguments["cty"] == nil else {
      throw .usage("a nested JWT is compact, has cty JWT, and no party info here")
    }
    let jwk = try KeyFile.read(arguments, console, option: "sign-key").singleKey()
    let algorithm = try arguments.signatureAlgorithm(for: jwk, option: "sign-alg")
    return try attempt { try SigningKey(jwk, orNamed: algorithm) }
  }

  /// What may surprise the recipients of a message, or their enemies.
  private func remark(_ jwks: [JWK], _ arguments: Arguments) {
    // How many such recipients open by the default of Limits.additionalWork, which LIMITS.md says.
    for (byteCount, count) in [(384, 3), (256, 7)] where arguments["kid"] == nil {
      let nameless = jwks.count { $0.keyID == nil && ($0.modulusByteCount ?? 0) > byteCount }
      guard nameless > count else { continue }
      console.writeError(
        "jose: \(nameless) recipients have long RSA keys without kid, and must each try the parts of those before; all "
          + "but the first \(count) may give up: give the keys a kid")
      break
    }
    for jwk in jwks {
      guard let name = arguments["alg"] ?? jwk.algorithm, KeyManagementAlgorithm(name: name)?.usesPassword == true,
        case .octets(let password) = jwk.material, password.count < 8
      else { continue }
      console.writeError("jose: the password has less than 8 characters, which are soon tried, whatever --p2c is")
    }
  }

  private func encryptionKeys(_ jwks: [JWK], _ arguments: Arguments) throws(CommandFailure) -> [EncryptionKey] {
    let iterationCount = try arguments.number("p2c")
    var keys: [EncryptionKey] = []
    for jwk in jwks {
      let algorithm = try arguments.keyManagementAlgorithm(for: jwk)
      guard iterationCount == nil || algorithm?.usesPassword ?? false else {
        throw .usage("--p2c goes with a password")
      }
      keys.append(
        try attempt { try EncryptionKey(jwk, algorithm: algorithm, iterationCount: iterationCount) })
    }
    return keys
  }
}

extension JWK {
  /// The length of an RSA key; nil for others.
  fileprivate var modulusByteCount: Int? {
    guard keyType == .rsa, let text = (try? JSONObject(parsing: serialized()))?["n"]?.stringValue else { return nil }
    return (try? Base64URL.decode(text))?.count
  }
}

extension JSONValue {
  /// A claims set as it was read.
  fileprivate static func object(claims: [UInt8]) throws(JOSEError) -> JSONObject {
    try JSONObject(parsing: claims, within: Limits.default.claimsJSON)
  }
}

extension EncryptionKey {
  /// The key of a JWK; of a password, with the number of iterations.
  fileprivate init(
    _ jwk: JWK, algorithm: KeyManagementAlgorithm?, iterationCount: Int?
  ) throws(JOSEError) {
    let key = try EncryptionKey(jwk, algorithm: algorithm)
    guard let iterationCount, let algorithm, case .octets(let password) = jwk.material else {
      self = key
      return
    }
    try self.init(
      password: password.unwipedOctets, algorithm: algorithm, iterationCount: iterationCount,
      keyID: jwk.keyID)
  }
}
