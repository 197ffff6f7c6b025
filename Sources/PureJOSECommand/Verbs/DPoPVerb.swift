import JOSE
import StrictJSON

/// Proofs of possession: `jose dpop sign` and `jose dpop verify`.
struct DPoPVerb {
  let console: Console

  static let usage = """
    jose dpop sign --key FILE [--password-file FILE] [--alg ALG] --method M --uri U [--access-token FILE] [--nonce S]
      Writes a DPoP proof (RFC 9449) for one request, made now, by the private key in the file. The second FILE holds the access token of the
      request, and --nonce is the one that the server gave last. --alg as with jose sign.
      Example  jose dpop sign --key key.json --method POST --uri https://api.example.com/orders
    jose dpop verify --method M --uri U [--access-token FILE] [--nonce S] [--at UNIXTIME] [PROOF-OR-FILE]
      Writes the thumbprint of the key that made a DPoP proof (RFC 9449), if the proof is one for this request: method, URI, age (a minute at
      most) and signature. FILE holds the access token of the request: ath must be its hash, and the token, if it is a JWT, must be bound to
      the key (cnf.jkt); the token itself is not verified. --nonce demands the nonce that the server gave. --at checks as of another time.
      Nothing is remembered, so a proof that was used before is not noticed.
      Example  jose dpop verify --method POST --uri https://api.example.com/orders < proof

    """

  func run(_ arguments: [String]) throws(CommandFailure) {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "sign": try sign(rest)
    case "verify": try verify(rest)
    case let other: throw .unknownWord(other, after: "dpop", among: ["sign", "verify"])
    }
  }

  private func sign(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(
      arguments, options: ["key", "password-file", "alg", "method", "uri", "access-token", "nonce"])
    try arguments.requireNoOperands()
    let jwk = try KeyFile.read(arguments, console).singleKey()
    let algorithm = try arguments.signatureAlgorithm(for: jwk)
    let (method, uri) = (try arguments.required("method"), try arguments.required("uri"))
    let accessToken = try accessToken(arguments)
    do throws(JOSEError) {
      let key = try SigningKey(jwk, orNamed: algorithm)
      console.write(
        try DPoP.proof(method: method, url: uri, key: key, accessToken: accessToken, nonce: arguments["nonce"]) + "\n")
    } catch {
      guard error.code == .callerMisuse else { throw CommandFailure(error) }
      throw Self.relativeURI
    }
  }

  private static var relativeURI: CommandFailure { .usage("--uri is not an absolute URI with a host") }

  /// The access token in the file that an option names, or nil.
  private func accessToken(_ arguments: Arguments) throws(CommandFailure) -> String? {
    guard let path = arguments["access-token"] else { return nil }
    return try console.readToken(at: path)
  }

  private func verify(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["method", "uri", "access-token", "nonce", "at"])
    let method = try arguments.required("method")
    let uri = try arguments.required("uri")
    let clock = try arguments.clock()
    let accessToken = try accessToken(arguments)
    let proof = try console.readToken(arguments)
    let verifier = DPoPVerifier(
      algorithms: SignatureAlgorithm.allCases.filter { $0.row.keyType != .oct }, clock: clock,
      records: MemoryRecordStore())
    func check(_ binding: DPoPVerifier.Binding) throws(CommandFailure) -> VerifiedDPoPProof {
      do throws(JOSEError) {
        return try verifier.checked(
          proof, method: method, url: uri, binding: binding, nonce: arguments["nonce"], now: clock.now)
      } catch {
        guard error.code == .callerMisuse else { throw CommandFailure(error) }
        throw Self.relativeURI
      }
    }
    var verified = try check(.none)
    if let accessToken {
      let bound = try Self.thumbprint(in: accessToken) ?? verified.thumbprint
      verified = try check(.accessToken(accessToken, thumbprint: bound))
    }
    console.write(verified.thumbprint + "\n")
  }

  /// The thumbprint that an access token says it is bound to; nil for one that isn't a JWT, since only its issuer
  /// knows.
  private static func thumbprint(in token: String) throws(CommandFailure) -> String? {
    guard let claims = (try? UnverifiedJWS(parsing: token))?.unverifiedClaims else { return nil }
    guard let thumbprint = claims["cnf"]?.objectValue?["jkt"]?.stringValue else {
      throw .invalid("claimMissing(cnf): the access token is bound to no key")
    }
    return thumbprint
  }
}

extension Arguments {
  /// The clock that `--at` sets, or the system's.
  func clock() throws(CommandFailure) -> WallClock {
    guard let text = self["at"] else { return .system }
    guard let seconds = Int(text) else { throw .usage("--at is a number of seconds since 1970") }
    return .fixed(at: NumericDate(seconds))
  }
}
