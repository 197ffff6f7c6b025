import JOSE
import PureCrypto
import StrictJSON

/// Key sets: `jose jwks merge`, `filter` and `check`.
struct JWKSVerb {
  let console: Console

  static let usage = """
    jose jwks merge [--private] [--password-file FILE] FILE …
      Writes one key set of the keys in the files: JWKs, JWK Sets, keys in PEM. A key that occurs twice is taken once. Two keys of one kid are
      refused, and so are entries that can't be used. Only public members are written, unless --private asks for all.
      Example  jose jwks merge old.json new.json > keys.json
    jose jwks filter [--kid ID] [--alg ALG] [--use USE] [--kty TYPE] [--crv CURVE] [--private] < SET
      Writes the keys of a set for which all of that holds, without entries that can't be used. Only public members, unless --private.
      Example  jose jwks filter --alg ES256 < keys.json
    jose jwks check [--private] < SET
      Writes a line for each entry: type, use, thumbprint, and what is wrong with it. Exit status 1 if an entry can't be used, a name occurs
      twice, a set of several keys has one without a name, or a key is private or symmetric although --private doesn't expect it.
      Example  jose jwks check < keys.json

    """

  func run(_ arguments: [String]) throws(CommandFailure) {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "merge": try merge(rest)
    case "filter": try filter(rest)
    case "check": try check(rest)
    case let other: throw .unknownWord(other, after: "jwks", among: ["merge", "filter", "check"])
    }
  }

  // MARK: Merging

  private func merge(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["password-file"], flags: ["private"])
    guard !arguments.operands.isEmpty else { throw .usage("jwks merge needs files") }
    var keys: [JWK] = []
    for path in arguments.operands {
      for key in try readKeys(path, arguments) {
        guard !keys.contains(key) else { continue }
        if let keyID = key.keyID, let other = keys.first(where: { $0.hasName(keyID) }) {
          // The public half of a key that is there already says nothing new, and a private one replaces it.
          guard other.isSameKey(as: key) else {
            throw .invalid("keyInvalid(kid): two keys have one name, the second in \(Visible.argument(path))")
          }
          if key.isPrivate { keys = keys.map { $0.hasName(keyID) ? key : $0 } }
          continue
        }
        keys.append(key)
      }
    }
    try write(keys, arguments)
  }

  private func readKeys(_ path: String, _ arguments: Arguments) throws(CommandFailure) -> [JWK] {
    switch try KeyFile.read(at: path, arguments, console) {
    case .key(let key): return [key]
    case .set(let set):
      if let bad = set.unsupportedKeys.first {
        throw .invalid(
          "entry \(bad.index) of \(Visible.argument(path)) can't be used, and jwks filter leaves it out: \(bad.reason)")
      }
      return set.keys
    }
  }

  private func write(_ keys: [JWK], _ arguments: Arguments) throws(CommandFailure) {
    var objects: [JSONValue] = []
    for key in keys {
      let octets: [UInt8]
      if arguments.has("private") {
        octets = key.serializedWithPrivateKey()
      } else {
        guard let publicKey = try? key.serialized() else {
          throw .invalid("keyMismatch(kty): a symmetric key has no public part; --private writes it")
        }
        octets = publicKey
      }
      guard let object = try? JSONValue(parsing: octets) else { throw .invalid("malformed: the key can't be written") }
      objects.append(object)
    }
    let set: JSONObject = ["keys": .array(objects)]
    console.write(set.serialized() + [0x0A])
  }

  // MARK: Filtering

  private func filter(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["kid", "alg", "use", "kty", "crv"], flags: ["private"])
    let set = try readSet(arguments)
    let keys = set.keys.filter { key in
      let members = [
        ("kid", key.keyID), ("alg", key.algorithm), ("use", key.use), ("kty", "\(key.keyType)"),
        ("crv", key.curve.map { "\($0)" }),
      ]
      return members.allSatisfy { name, value in
        arguments[name].map { wanted in value.map { Array($0.utf8) == Array(wanted.utf8) } ?? false } ?? true
      }
    }
    try write(keys, arguments)
  }

  private func readSet(_ arguments: Arguments) throws(CommandFailure) -> JWKSet {
    let input = try console.inputText(of: arguments)
    return try attempt { try JWKSet(parsing: input, acceptsSecretKeys: true) }
  }

  // MARK: Checking

  private func check(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: [], flags: ["private"])
    let set = try readSet(arguments)
    var rows: [(index: Int, text: String)] = set.unsupportedKeys.map { ($0.index, "can't be used: \($0.reason)") }
    var faultCount = set.unsupportedKeys.count
    // The indices of the keys are those that the unsupported entries leave.
    let taken = Set(set.unsupportedKeys.map(\.index))
    let indices = (0..<(set.keys.count + taken.count)).filter { !taken.contains($0) }
    for (index, key) in zip(indices, set.keys) {
      let faults = faults(of: key, in: set, expectsPrivate: arguments.has("private"))
      faultCount += faults.isEmpty ? 0 : 1
      rows.append((index, ([key.line] + faults).joined(separator: "; ")))
    }
    for row in rows.sorted(by: { $0.index < $1.index }) { console.write("\(row.index)  \(row.text)\n") }
    guard faultCount == 0 else {
      throw .invalid("\(faultCount) of \(rows.count) entries \(faultCount == 1 ? "has" : "have") faults")
    }
    guard !rows.isEmpty else { throw .invalid("the set has no keys") }
  }

  private func faults(of key: JWK, in set: JWKSet, expectsPrivate: Bool) -> [String] {
    var faults: [String] = []
    if key.isPrivate, !expectsPrivate { faults.append("private or symmetric: not to be published") }
    if let keyID = key.keyID {
      if set.keys.count(where: { $0.hasName(keyID) }) > 1 { faults.append("its name occurs twice") }
    } else if set.keys.count > 1 {
      faults.append("has no name (kid)")
    }
    return faults
  }
}

extension JWK {
  fileprivate func hasName(_ name: String) -> Bool { keyID.map { Array($0.utf8) == Array(name.utf8) } ?? false }

  /// Whether both have the same key material, or one is the other's public half.
  fileprivate func isSameKey(as other: JWK) -> Bool {
    keyType == .oct || other.keyType == .oct
      ? keyType == other.keyType && secretKeyThumbprint() == other.secretKeyThumbprint()
      : (try? thumbprint()) == (try? other.thumbprint())
  }

  /// What the key is, in one line without key material.
  fileprivate var line: String {
    let type = curve.map { "\(keyType) \($0)" } ?? "\(keyType)"
    let name = keyID.map { " kid \(Visible.text($0))" } ?? ""
    let algorithm = algorithm.map { " alg \(Visible.text($0))" } ?? " any algorithm of its family"
    let thumbprint = keyType == .oct ? "" : (try? thumbprint()).map { " thumbprint \($0)" } ?? ""
    return type + name + algorithm + (use.map { " use \(Visible.text($0))" } ?? "") + thumbprint
  }
}
