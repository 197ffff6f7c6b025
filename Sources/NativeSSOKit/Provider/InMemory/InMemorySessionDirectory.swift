import JOSE
import StrictJSON

/// Users' sessions and consents in memory. For single-process servers and tests.
public actor InMemorySessionDirectory: SessionStore {
  private typealias Key = [UInt8]

  private struct Pair: Hashable {
    let user: Key
    let client: Key
  }

  private let usesPairwiseSubjects: Bool
  private var sessions: [Key: AuthenticationSession] = [:]
  private var users: Set<Key> = []
  private var consents: [Pair: [String]] = [:]
  private var subjects: [Pair: String] = [:]

  /// A directory without users.
  ///
  /// - Parameter usesPairwiseSubjects: whether each client knows a user by another `sub`.
  public init(usesPairwiseSubjects: Bool = false) { self.usesPairwiseSubjects = usesPairwiseSubjects }

  /// Adds or enables a user.
  public func addUser(_ userID: String) { users.insert(Key(userID.utf8)) }

  /// Disables a user.
  public func disableUser(_ userID: String) { users.remove(Key(userID.utf8)) }

  /// Adds a session.
  public func add(_ session: AuthenticationSession) { sessions[Key(session.id.utf8)] = session }

  /// Ends a session. Its device secrets and refresh tokens end with ``NativeSSOProvider/endSession(_:reason:)``.
  public func end(sessionID: String) { sessions[Key(sessionID.utf8)]?.isActive = false }

  /// Records what a user agrees to.
  public func grant(_ scopes: [String], userID: String, clientID: String) {
    consents[pair(userID, clientID)] = scopes
  }

  /// The session of this name.
  public func session(id: String) -> AuthenticationSession? { sessions[Key(id.utf8)] }

  /// Whether the user is there and enabled.
  public func isActive(userID: String) -> Bool { users.contains(Key(userID.utf8)) }

  /// What the user has agreed to.
  public func grantedScopes(userID: String, clientID: String) -> [String] { consents[pair(userID, clientID)] ?? [] }

  // Asynchronous, like the protocol's defaults: who calls a directory of this type would get those else, which know
  // public subjects only.
  /// The user's own name, or a random one for each client.
  public func subject(userID: String, clientID: String) async -> String {
    guard usesPairwiseSubjects else { return userID }
    let pair = pair(userID, clientID)
    if let subject = subjects[pair] { return subject }
    let subject = DeviceSecret.random().reveal()
    subjects[pair] = subject
    return subject
  }

  /// The user whom a client knows by this name.
  public func userID(subject: String, clientID: String) async -> String? {
    guard usesPairwiseSubjects else { return subject }
    let client = Key(clientID.utf8)
    let found = subjects.first { $0.key.client == client && $0.value.hasSameBytes(as: subject) }
    return found.map { String(decoding: $0.key.user, as: UTF8.self) }
  }

  private func pair(_ userID: String, _ clientID: String) -> Pair {
    Pair(user: Key(userID.utf8), client: Key(clientID.utf8))
  }
}
