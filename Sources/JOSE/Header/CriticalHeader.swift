import StrictJSON

/// The rules of `crit`.
///
/// Source: RFC 7515 §4.1.11, RFC 7516 §4.1.13.
enum CriticalHeader {
  /// The entries of `crit`, or none if it is absent.
  ///
  /// - Throws: ``ErrorCode/headerInvalid`` if `crit` breaks its rules, ``ErrorCode/limitExceeded``.
  static func names(_ parameters: JSONObject, limits: Limits) throws(JOSEError) -> [WireName] {
    guard let value = parameters["crit"] else { return [] }
    let invalid = JOSEError(
      .headerInvalid, "crit must be a non-empty list of distinct names of present parameters", name: "crit")
    guard case .array(let entries) = value, !entries.isEmpty else { throw invalid }
    guard entries.count <= limits.criticalCount else {
      throw JOSEError(.limitExceeded, "too many critical parameters", name: "criticalCount")
    }
    var names: [WireName] = []
    for entry in entries {
      guard case .string(let name) = entry, !name.isEmpty, name.utf8.allSatisfy({ $0 < 0x80 }),
        !names.contains(name), !registeredNames.contains(name), parameters[name] != nil
      else { throw invalid }
      names.append(WireName(name))
    }
    return names
  }

  /// Requires that the caller understands every extension that must be understood.
  ///
  /// - Throws: ``ErrorCode/criticalHeaderUnsupported``.
  static func requireUnderstood(_ names: [WireName], by understood: [String]) throws(JOSEError) {
    for name in names where !understood.contains(name) {
      throw JOSEError(
        .criticalHeaderUnsupported,
        name == "b64"
          ? "the payload is unencoded (b64), as no JWT is: JWS.verify reads it"
          : "an extension that crit names is not understood: list it in understoodCriticalParameters if you process it",
        name: "crit")
    }
  }

  /// Parameters of the base specifications, which `crit` must not name.
  static let registeredNames: [WireName] = [
    "alg", "enc", "zip", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", "crit",
    "epk", "apu", "apv", "iv", "tag", "p2s", "p2c",
  ]
}
