import JOSE

/// Which families of refresh tokens.
public enum FamilySelection: Sendable, Hashable {
  /// Those of a user.
  case subject(String)
  /// Those of a client.
  case client(String)
  /// Those of a user with a client.
  case subjectAndClient(String, String)
  /// Those of a session at the provider.
  case session(String)
  /// Those that came from a device secret.
  case deviceSecret(String)
  /// Those that came of an authorization code, by its grant's name: ``AuthorizationCodeGrant/id``.
  case grant(String)
  /// Those created before a date.
  case createdBefore(NumericDate)

  /// What their records are found by, compared as octets.
  package var index: StoredRecord.Index {
    switch self {
    case .subject(let subject): .init("subject", Array(subject.utf8))
    case .client(let client): .init("client", Array(client.utf8))
    // The length keeps two names apart from two others.
    case .subjectAndClient(let subject, let client):
      .init("login", Array("\(subject.utf8.count).".utf8) + Array(subject.utf8) + Array(client.utf8))
    case .session(let session): .init("session", Array(session.utf8))
    case .deviceSecret(let secret): .init("device-secret", Array(secret.utf8))
    case .grant(let name): .init("grant", Array(name.utf8))
    case .createdBefore: .init("active", [])
    }
  }
}
