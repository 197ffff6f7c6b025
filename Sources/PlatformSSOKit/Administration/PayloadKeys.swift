import JOSE

/// The keys that every configuration profile has, and each payload in it.
///
/// Source: Apple, device management, TopLevel and CommonPayloadKeys.
enum PayloadKeys {
  /// What is wrong with these keys of a profile and of its payload. Where there is no profile around it, as in a file
  /// for a server that writes these keys itself, what is absent from the payload is no fault.
  static func findings(profile: PropertyListValue, payload: PropertyListValue) -> [ProfileFinding] {
    let isWhole = profile["PayloadContent"] != nil
    var findings = findings(
      of: payload, type: "com.apple.extensiblesso", mustHaveAll: isWhole,
      absent: "the payload com.apple.extensiblesso doesn't have it",
      malformed: "that of the payload com.apple.extensiblesso is not of its form")
    guard isWhole else { return findings }
    findings += self.findings(
      of: profile, type: "Configuration", mustHaveAll: true, absent: "the profile doesn't have it",
      malformed: "that of the profile is not of its form")
    for key in ["PayloadUUID", "PayloadIdentifier"] {
      guard let own = payload[key]?.text, let outer = profile[key]?.text, own.hasSameBytesIgnoringASCIICase(as: outer)
      else { continue }
      findings.append(ProfileFinding(error: key, "profile and payload have the same one"))
    }
    return findings
  }

  private static func findings(
    of dictionary: PropertyListValue, type: String, mustHaveAll: Bool, absent: StaticString, malformed: StaticString
  ) -> [ProfileFinding] {
    let keys: [(String, (PropertyListValue) -> Bool)] = [
      ("PayloadVersion", { $0 == .integer(1) }),
      ("PayloadUUID", { $0.text.map(UUIDText.isUUID) ?? false }),
      ("PayloadIdentifier", { $0.text.map(isIdentifier) ?? false }),
      ("PayloadType", { $0.text.map { WireName($0) == type } ?? false }),
    ]
    return keys.compactMap { key, isOfItsForm in
      guard let value = dictionary[key] else {
        return mustHaveAll ? ProfileFinding(error: key, absent) : nil
      }
      return isOfItsForm(value) ? nil : ProfileFinding(error: key, malformed)
    }
  }

  /// Reverse DNS: parts with dots between them, of letters, digits, hyphens and underscores.
  static func isIdentifier(_ text: String) -> Bool {
    text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty && part.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2D || $0 == 0x5F }
    }
  }
}

/// What was found around the settings of a profile that was read. It is no part of the profile's equality: files with
/// the same settings are the same profile.
struct PayloadFindings: Sendable, Equatable {
  var list: [ProfileFinding] = []

  static func == (lhs: PayloadFindings, rhs: PayloadFindings) -> Bool { true }
}
