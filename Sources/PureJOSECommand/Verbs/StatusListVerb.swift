import JOSE
import StrictJSON

/// Status lists of tokens: `jose status-list encode`, `decode` and `check`.
struct StatusListVerb {
  let console: Console

  static let usage = """
    jose status-list encode --bits 1|2|4|8 --size N [--key FILE --uri URI --ttl TIME [--expires-in TIME]] [--password-file FILE] [--alg ALG] [FILE]
      Writes the claim status_list, or with --key the token that a server gives at --uri as application/statuslist+jwt. Input is a JSON object
      of indices and statuses: 0 is valid, 1 invalid (revoked), 2 suspended. All others of the N are valid. Verifiers ask again after --ttl;
      the token ends after a day, or after --expires-in.
      Example  jose status-list encode --bits 1 --size 1048576 < revoked.json
    jose status-list decode [TOKEN-OR-FILE]
      Writes what a status list says, without verifying it: how many statuses there are of each kind, and the first 1000 that are not valid.
      Input is the token, or the claim status_list.
      Example  jose status-list decode < list
    jose status-list check --key FILE [--password-file FILE] [--alg ALG] … --uri URI --index N [--iss S] [--at UNIXTIME] [TOKEN-OR-FILE]
      Writes the status of one token by the list whose token is the input, if the signature is that of FILE's key and the list is the one at
      --uri. --uri and --index are what the token's claim status says. A status that is not valid ends with 1.
      Example  jose status-list check --key k.json --uri https://a.example/1 --index 7 < list

    """

  func run(_ arguments: [String]) throws(CommandFailure) {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "encode": try encode(rest)
    case "decode": try decode(rest)
    case "check": try check(rest)
    case let other: throw .unknownWord(other, after: "status-list", among: ["encode", "decode", "check"])
    }
  }

  private func encode(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(
      arguments, options: ["bits", "size", "key", "password-file", "alg", "uri", "ttl", "expires-in"])
    try arguments.requireAtMostOneOperand()
    guard let bits = try arguments.number("bits"), let size = try arguments.number("size") else {
      throw .usage("--bits and --size say what the list has room for")
    }
    guard arguments["key"] != nil || ["uri", "ttl", "expires-in"].allSatisfy({ arguments[$0] == nil }) else {
      throw .usage("--uri, --ttl and --expires-in go with --key")
    }
    let input = try console.input(of: arguments, upTo: .file)
    let list = try attempt {
      var list = try StatusList(bits: bits, count: size)
      for (name, value) in try JSONObject(parsing: input, within: Limits.default.keySetJSON).members {
        guard let index = Int(name), let status = value.numberValue?.int64.flatMap({ UInt8(exactly: $0) }) else {
          throw JOSEError(.malformed, "the input is a JSON object of indices and statuses from 0 to 255")
        }
        try list.set(TokenStatus(rawValue: status), at: index)
      }
      return list
    }
    guard arguments["key"] != nil else { return console.write(list.claim.serialized() + [0x0A]) }
    let uri = try arguments.required("uri")
    guard let timeToLive = try arguments.seconds("ttl") else { throw .usage("--ttl says when to ask again: 5m") }
    let lifetime = try arguments.seconds("expires-in") ?? max(86_400, timeToLive)
    let jwk = try KeyFile.read(arguments, console).singleKey()
    let algorithm = try arguments.signatureAlgorithm(for: jwk)
    let token = try attempt {
      try list.signed(
        for: uri, timeToLive: .seconds(timeToLive), lifetime: .seconds(lifetime),
        with: SigningKey(jwk, orNamed: algorithm))
    }
    console.write(token + "\n")
  }

  private func decode(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: [])
    let text = try console.readToken(arguments)
    let list = try attempt {
      var claim = JSONObject()
      if text.utf8.first == 0x7B {
        claim = try JSONObject(parsing: text.utf8)
      } else {
        let claims = try UnverifiedJWS(parsing: text, limits: Self.limits).unverifiedClaims
        claim = claims?["status_list"]?.objectValue ?? [:]
      }
      return try StatusList(claim)
    }
    var (counts, others): ([TokenStatus: Int], [(String, JSONValue)]) = ([:], [])
    for index in 0..<list.count {
      guard let status = list[index] else { break }
      counts[status, default: 0] += 1
      guard status != .valid, others.count < 1000 else { continue }
      others.append(("\(index)", .number(JSONNumber(Int64(status.rawValue)))))
    }
    let kinds = counts.sorted { $0.key.rawValue < $1.key.rawValue }
    let shown = JSONObject([
      ("bits", .number(JSONNumber(Int64(list.bits)))), ("size", .number(JSONNumber(Int64(list.count)))),
      ("counts", .object(JSONObject(kinds.map { ("\($0.key)", .number(JSONNumber(Int64($0.value)))) }))),
      ("statuses", .object(JSONObject(others))),
    ])
    console.write(shown.serialized() + [0x0A])
  }

  private func check(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(
      arguments, options: ["key", "password-file", "uri", "index", "iss", "at"], repeatable: ["alg"])
    let uri = try arguments.required("uri")
    guard let index = Int(try arguments.required("index")), index >= 0 else {
      throw .usage("--index is a whole number from 0 on")
    }
    let policy = JWTPolicy(
      issuer: arguments["iss"].map { .anyOf([$0]) } ?? .notChecked, audience: .notChecked,
      clock: try arguments.clock())
    let verifier = try arguments.verifier(policy, console, isForStrangers: true)
    let text = try console.readToken(arguments)
    let token = try attempt { try StatusListToken(verifying: text, at: uri, by: verifier) }
    guard let status = token.list[index] else { throw .invalid("claimInvalid(status): the index is beyond the list") }
    console.write("\(status)\n")
    guard status == .valid else { throw .invalid("statusRefused(status): the token is \(status)") }
  }

  private static var limits: Limits {
    var limits = Limits.default
    (limits.tokenByteCount, limits.claimsByteCount) = (limits.messageByteCount, limits.messageByteCount)
    return limits
  }
}
