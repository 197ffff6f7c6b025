/// Which `iss` is accepted. All comparisons are of bytes.
public enum IssuerPolicy: Sendable, Hashable {
  /// One of these, and it must be present.
  case anyOf([String])
  /// Whatever it says. Only for tokens whose keys serve one issuer alone.
  case notChecked
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
  /// Whatever it says. A token for somebody else is then accepted too.
  case notChecked
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

  package func accepts(_ type: String?) -> Bool {
    switch self {
    case .jwtOrAbsent: type.map { Self.mediaType($0).hasSameBytes(as: "application/jwt") } ?? true
    case .anyOf(let accepted):
      type.map { accepted.map(Self.mediaType).containsBytes(of: Self.mediaType($0)) } ?? false
    case .ifPresent(let accepted):
      type.map { accepted.map(Self.mediaType).containsBytes(of: Self.mediaType($0)) } ?? true
    case .notChecked: true
    }
  }

  private static func mediaType(_ type: String) -> String {
    let folded = type.asciiLowercased
    return folded.utf8.contains(0x2F) ? folded : "application/" + folded
  }
}
