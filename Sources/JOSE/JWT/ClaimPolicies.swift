/// Which `iss` is accepted. All comparisons are of bytes.
public enum IssuerPolicy: Sendable, Hashable {
  /// One of these, and it must be present.
  case anyOf([String])
  /// Whatever it says. Only for tokens whose keys serve one issuer alone.
  case notChecked

  /// The names that are accepted, if it is up to names.
  var names: [String]? {
    guard case .anyOf(let names) = self else { return nil }
    return names
  }
}

/// Which `aud` is accepted. All comparisons are of bytes.
public enum AudiencePolicy: Sendable, Hashable {
  /// The token names at least one of these.
  case anyOf([String])
  /// The token names all of these.
  case allOf([String])
  /// The token names at least one of these, or has no `aud`.
  case ifPresent([String])
  /// The token has no `aud`.
  case absent
  /// Whatever it says. A token for another service is then accepted too.
  case notChecked

  /// The names that are accepted, if it is up to names.
  var names: [String]? {
    switch self {
    case .anyOf(let names), .allOf(let names), .ifPresent(let names): names
    case .absent, .notChecked: nil
    }
  }
}

/// Which `typ` is accepted. ASCII case and a leading `application/` do not matter.
///
/// Source: RFC 7515 §4.1.9, RFC 8725 §3.11.
public enum TypePolicy: Sendable, Hashable {
  /// `JWT`, or no `typ`.
  case jwtOrAbsent
  /// One of these, and it must be present.
  case anyOf([String])
  /// One of these, or none at all: for kinds of tokens that began without a `typ`.
  case ifPresent([String])
  /// Whatever it says. Tokens of another kind by the same issuer are then accepted too.
  case notChecked

  /// The names that are accepted, if it is up to names.
  var names: [String]? {
    switch self {
    case .anyOf(let names), .ifPresent(let names): names
    case .jwtOrAbsent, .notChecked: nil
    }
  }

  package func accepts(_ type: String?) -> Bool {
    switch self {
    case .jwtOrAbsent: type.map { Self.isSameMediaType($0, "JWT") } ?? true
    case .anyOf(let accepted): type.map { type in accepted.contains { Self.isSameMediaType($0, type) } } ?? false
    case .ifPresent(let accepted): type.map { type in accepted.contains { Self.isSameMediaType($0, type) } } ?? true
    case .notChecked: true
    }
  }

  /// Whether two names mean the same type: `application/` is understood where there is no slash.
  static func isSameMediaType(_ lhs: String, _ rhs: String) -> Bool {
    // As nearly all senders write it.
    if WireName(lhs) == rhs { return true }
    return switch (lhs.utf8.contains(0x2F), rhs.utf8.contains(0x2F)) {
    case (true, true), (false, false): areSameFolded(lhs.utf8[...], rhs.utf8[...])
    case (true, false): isApplicationType(lhs, rhs)
    case (false, true): isApplicationType(rhs, lhs)
    }
  }

  private static func isApplicationType(_ full: String, _ short: String) -> Bool {
    let prefix = "application/".utf8
    return areSameFolded(full.utf8.prefix(prefix.count), prefix[...])
      && areSameFolded(full.utf8.dropFirst(prefix.count), short.utf8[...])
  }

  /// Whether the octets are the same but for the case of ASCII letters.
  private static func areSameFolded(_ lhs: Substring.UTF8View, _ rhs: Substring.UTF8View) -> Bool {
    lhs.elementsEqual(rhs) { folded($0) == folded($1) }
  }

  private static func folded(_ octet: UInt8) -> UInt8 { octet &- 0x41 < 26 ? octet | 0x20 : octet }
}
