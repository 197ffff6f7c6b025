/// Whose signatures a JWS with several must bear. There is no default: which signature counts is the caller's decision.
public struct JWSRequirement: Sendable {
  enum Rule: Sendable {
    case any(VerificationKeySource)
    case anyOf([VerificationKey])
    case allOf([VerificationKey])
  }

  let rule: Rule

  /// A signature by this key, beside whatever else is there.
  public static func key(_ key: VerificationKey) -> JWSRequirement { JWSRequirement(rule: .anyOf([key])) }

  /// At least one signature by one of these keys, beside whatever else is there.
  public static func any(of keys: [VerificationKey]) -> JWSRequirement { JWSRequirement(rule: .anyOf(keys)) }

  /// At least one signature by a key of a set, chosen by `kid`, with one of these algorithms, beside whatever else is
  /// there.
  public static func any(of keys: JWKSet, algorithms: [SignatureAlgorithm]) -> JWSRequirement {
    JWSRequirement(rule: .any(.keySet(keys, algorithms)))
  }

  /// A signature by each of these keys, and no signature that is not by one of them.
  public static func all(of keys: [VerificationKey]) -> JWSRequirement { JWSRequirement(rule: .allOf(keys)) }

  /// The names of the algorithms that can count.
  ///
  /// - Throws: ``ErrorCode/callerMisuse`` if there are none.
  func algorithmNames() throws(JOSEError) -> [WireName] {
    switch rule {
    case .any(let source): return try source.algorithmNames()
    case .anyOf(let keys), .allOf(let keys):
      guard !keys.isEmpty else { throw JOSEError(.callerMisuse, "the list of keys is empty", name: "keys") }
      return keys.map { WireName($0.algorithm.name) }
    }
  }

  /// How many signatures must be verified at least.
  var signatureCount: Int {
    if case .allOf(let keys) = rule { keys.count } else { 1 }
  }
}
