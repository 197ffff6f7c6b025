import JOSE
import StrictJSON

/// Proofs of possession: `jose dpop verify`.
struct DPoPVerb {
  let console: Console

  static let usage = """
    jose dpop verify --method M --uri U [--access-token FILE] [--nonce S] [--at UNIXTIME] < PROOF
      Writes the thumbprint of the key that made a DPoP proof (RFC 9449), if the proof is one for this request: method, URI, age (a minute at
      most) and signature. FILE holds the access token of the request: ath must be its hash, and the token, if it is a JWT, must be bound to
      the key (cnf.jkt); the token itself is not verified. --nonce demands the nonce that the server gave. --at checks as of another time.
      Nothing is remembered, so a proof that was used before is not noticed.

    """

  func run(_ arguments: [String]) throws(CommandFailure) {
    guard arguments.first == "verify" else {
      throw .usage("jose dpop is followed by verify")
    }
    let arguments = try Arguments(
      Array(arguments.dropFirst()), options: ["method", "uri", "access-token", "nonce", "at"])
    try arguments.requireNoOperands()
    let method = try arguments.required("method")
    let uri = try arguments.required("uri")
    let clock = try arguments.clock()
    let accessToken: String? = if let path = arguments["access-token"] { try console.readToken(at: path) } else { nil }
    let proof = try console.readToken()
    let verifier = DPoPVerifier(
      algorithms: SignatureAlgorithm.allCases.filter { $0.row.keyType != .oct }, clock: clock,
      replayStore: DPoPMemoryReplayStore())
    func check(_ binding: DPoPVerifier.Binding) throws(CommandFailure) -> VerifiedDPoPProof {
      do throws(JOSEError) {
        return try verifier.checked(
          proof, method: method, url: uri, binding: binding, nonce: arguments["nonce"], now: clock.now)
      } catch {
        guard error.code == .callerMisuse else { throw CommandFailure(error) }
        throw .usage("--uri is not an absolute URI with a host")
      }
    }
    var verified = try check(.none)
    if let accessToken {
      let bound = try Self.thumbprint(in: accessToken) ?? verified.thumbprint
      verified = try check(.accessToken(accessToken, thumbprint: bound))
    }
    console.write(verified.thumbprint + "\n")
  }

  /// The thumbprint that an access token says it is bound to; nil for one that isn't a JWT, of which only its issuer knows.
  private static func thumbprint(in token: String) throws(CommandFailure) -> String? {
    guard let payload = (try? UnverifiedToken(parsing: token))?.unverifiedPayload,
      let claims = try? JSONObject(parsing: payload)
    else { return nil }
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
