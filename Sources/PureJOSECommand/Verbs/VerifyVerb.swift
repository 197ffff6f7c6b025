import JOSE

struct VerifyVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(
      arguments, options: ["payload", "max-size", "password-file"], repeatable: ["key", "alg"], flags: ["all"])
    var limits = Limits.default
    try limits.raise(arguments)
    let trusted = try Trusted(arguments, console)
    let detached: [UInt8]? =
      if let path = arguments["payload"] { try console.file(path, upTo: .message(limits)) } else { nil }
    let token = try console.readToken(arguments, upTo: .message(limits))
    let payload =
      token.isJSONSerialization
      ? try attempt(upTo: limits) {
        try JWS.verifyJSON(token, requiring: trusted.requirement, detachedPayload: detached, limits: limits).payload
      } : try verifyCompact(token, detached: detached, with: trusted, limits)
    console.write(payload)
  }

  private func verifyCompact(
    _ token: String, detached: [UInt8]?, with trusted: Trusted, _ limits: Limits
  ) throws(CommandFailure) -> [UInt8] {
    switch trusted.source {
    case .keys(let keys):
      guard keys.count == 1 else { throw .usage("a compact token has one signature, so it takes one --key") }
      return try attempt(upTo: limits) {
        guard let detached else { return try JWS.verify(token, with: keys[0], limits: limits).payload }
        return try JWS.verifyDetached(token, payload: detached, with: keys[0], limits: limits).payload
      }
    case .set(let keys, let algorithms):
      return try attempt(upTo: limits) {
        guard let detached else {
          return try JWS.verify(token, with: keys, algorithms: algorithms, limits: limits).payload
        }
        return try JWS.verifyDetached(token, payload: detached, with: keys, algorithms: algorithms, limits: limits)
          .payload
      }
    }
  }
}

/// What `--key` trusts: one or several keys, or a key set.
private struct Trusted {
  enum Source {
    case keys([VerificationKey])
    case set(JWKSet, [SignatureAlgorithm])
  }

  let source: Source
  private let requiresAll: Bool

  init(_ arguments: Arguments, _ console: Console) throws(CommandFailure) {
    requiresAll = arguments.has("all")
    let isSingle = arguments.values("key").count <= 1
    if isSingle, case .set(let keys) = try KeyFile.read(arguments, console) {
      guard !requiresAll else { throw .usage("--all goes with keys, each in a file of its own") }
      source = .set(keys, try arguments.signatureAlgorithms())
      return
    }
    guard isSingle || arguments["alg"] == nil else { throw .usage("--alg goes with a single key or a key set") }
    guard arguments.values("alg").count <= 1 else { throw .usage("several --alg go with a key set") }
    var keys: [VerificationKey] = []
    for jwk in try KeyFile.readAll(arguments, console) {
      let algorithm = try arguments.signatureAlgorithm(for: jwk)
      keys.append(try attempt { try VerificationKey(jwk, orNamed: algorithm) })
    }
    source = .keys(keys)
  }

  /// Whose signatures a message with several must bear.
  var requirement: JWSRequirement {
    switch source {
    case .keys(let keys): requiresAll ? .all(of: keys) : .any(of: keys)
    case .set(let keys, let algorithms): .any(of: keys, algorithms: algorithms)
    }
  }
}

extension Limits {
  /// Allows messages as long as `--max-size` says.
  mutating func raise(_ arguments: Arguments) throws(CommandFailure) {
    messageByteCount = try arguments.octetCount("max-size") ?? messageByteCount
    additionalWork = try arguments.number("max-work") ?? additionalWork
  }
}

extension JWTPolicy {
  /// Allows tokens that live as long as `--max-lifetime` says, and cost as much as `--max-work` says.
  mutating func raise(_ arguments: Arguments) throws(CommandFailure) {
    if let seconds = try arguments.seconds("max-lifetime") { maximumLifetime = .seconds(seconds) }
    limits.additionalWork = try arguments.number("max-work") ?? limits.additionalWork
  }
}

/// Runs library code that reads a message. One that is too long is told of `--max-size`.
func attempt<Value>(upTo limits: Limits, _ body: () throws -> Value) throws(CommandFailure) -> Value {
  do {
    return try body()
  } catch let error as JOSEError where error.code == .limitExceeded && error.name == "messageByteCount" {
    throw .invalid("\(error); --max-size takes longer messages than \(limits.messageByteCount) octets")
  } catch let error as JOSEError where error.code == .limitExceeded && error.name == "additionalWork" {
    throw .invalid(
      "\(error); a kid for each recipient helps, which the sender writes, or --max-work with more than "
        + "\(limits.additionalWork)")
  } catch {
    throw .invalid("\(error)")
  }
}
