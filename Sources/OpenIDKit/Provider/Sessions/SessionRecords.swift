import JOSE
import PureCrypto
import StrictJSON

/// Sessions, users and consents in a provider's records: a directory that the provider's own program fills.
///
/// Changes last when they return, and are seen by all machines that share the records. The operations throw what the
/// records throw, and `ErrorCode.recordMalformed` for what can't be read.
public struct SessionRecords: SessionDirectory {
  private static let sessionKind = StoredRecord.Kind(library: "session")
  private static let userKind = StoredRecord.Kind(library: "user")
  private static let consentKind = StoredRecord.Kind(library: "consent")
  private static let subjectKind = StoredRecord.Kind(library: "pairwise-subject")

  private let records: any RecordStore
  private let usesPairwiseSubjects: Bool
  private let clock: WallClock

  /// A directory.
  ///
  /// - Parameters:
  ///   - records: shared by all machines of the provider. The default serves one process and forgets.
  ///   - usesPairwiseSubjects: whether each client knows a user by another `sub`.
  ///   - clock: dates what is written.
  public init(
    records: any RecordStore = MemoryRecordStore(), usesPairwiseSubjects: Bool = false, clock: WallClock = .system
  ) {
    (self.records, self.usesPairwiseSubjects, self.clock) = (records, usesPairwiseSubjects, clock)
  }

  // MARK: The provider's questions

  /// The session of this name.
  ///
  /// - Throws: see ``SessionRecords``.
  public func session(id: String) async throws -> AuthenticationSession? {
    try await records.record(Self.sessionKind, key: Array(id.utf8)).map { try Self.session(id, $0) }
  }

  /// Whether the user is there and enabled.
  ///
  /// - Throws: see ``SessionRecords``.
  public func isActive(userID: String) async throws -> Bool {
    try await records.record(Self.userKind, key: Array(userID.utf8)) != nil
  }

  /// What the user has agreed to.
  ///
  /// - Throws: see ``SessionRecords``.
  public func grantedScopes(userID: String, clientID: String) async throws -> [String] {
    guard let record = try await records.record(Self.consentKind, key: Self.pair(userID, clientID)),
      record.expiresAt.map({ clock.now < $0 }) ?? true
    else { return [] }
    guard let scopes = Self.strings(try Self.object(record)["list"]) else { throw Self.invalid }
    return scopes
  }

  /// The user's own name, or a random one for each client.
  ///
  /// - Throws: see ``SessionRecords``.
  public func subject(userID: String, clientID: String) async throws -> String {
    guard usesPairwiseSubjects else { return userID }
    let fresh = Base64URL.encode(SystemRandom.bytes(count: 32))
    var subject = fresh
    let key = Self.pair(userID, clientID)
    _ = try await records.update(Self.subjectKind, key: key) { known in
      if let known {
        guard let stored = try Self.object(known)["subject"]?.stringValue else { throw Self.invalid }
        subject = stored
        return []
      }
      subject = fresh
      let index = StoredRecord.Index("subject", Self.pair(clientID, fresh), isUnique: true)
      return [
        .insert(record(Self.subjectKind, key, ["user": .string(userID), "subject": .string(fresh)], indexes: [index]))
      ]
    }
    return subject
  }

  /// The user whom a client knows by this name.
  ///
  /// - Throws: see ``SessionRecords``.
  public func userID(subject: String, clientID: String) async throws -> String? {
    guard usesPairwiseSubjects else { return subject }
    let index = StoredRecord.Index("subject", Self.pair(clientID, subject), isUnique: true)
    guard let known = try await records.records(Self.subjectKind, where: index, limit: 1).first else { return nil }
    guard let user = try Self.object(known)["user"]?.stringValue else { throw Self.invalid }
    return user
  }

  // MARK: The program's changes

  /// Adds a session, or writes it anew.
  ///
  /// - Throws: see ``SessionRecords``.
  public func add(_ session: AuthenticationSession) async throws { try await records.put(record(of: session)) }

  /// Writes a session anew that lasts still. False, and nothing written, if it has ended or there is none of its name:
  /// a login that meets a logout doesn't undo it.
  ///
  /// - Throws: see ``SessionRecords``.
  public func renew(_ session: AuthenticationSession) async throws -> Bool {
    var lasts = false
    _ = try await records.update(Self.sessionKind, key: Array(session.id.utf8)) { known in
      lasts = try known.map { try Self.session(session.id, $0).isActive } ?? false
      guard lasts, let known else { return [] }
      var next = record(of: session)
      next.version = known.version
      return [.replace(next)]
    }
    return lasts
  }

  /// Ends a session; nothing happens if there is none of that name. It is forgotten after 90 days. Its refresh
  /// tokens, and the device secrets of Native SSO, are ended after this.
  ///
  /// - Throws: see ``SessionRecords``; the session may then go on.
  public func end(sessionID: String) async throws {
    _ = try await records.update(Self.sessionKind, key: Array(sessionID.utf8)) { known in
      guard let known else { return [] }
      var session = try Self.session(sessionID, known)
      session.isActive = false
      var ended = record(of: session)
      ended.version = known.version
      ended.expiresAt = known.expiresAt ?? clock.now.advanced(by: 90 * 86_400)
      return [.replace(ended)]
    }
  }

  /// Adds or enables a user.
  ///
  /// - Throws: see ``SessionRecords``.
  public func addUser(_ userID: String) async throws {
    try await records.put(record(Self.userKind, Array(userID.utf8), [:]))
  }

  /// Disables a user.
  ///
  /// - Throws: see ``SessionRecords``; the user may then be active still.
  public func disableUser(_ userID: String) async throws {
    try await records.remove(Self.userKind, key: Array(userID.utf8))
  }

  /// Records what a user agrees to, in place of what was recorded before.
  ///
  /// - Parameters:
  ///   - scopes: all that the user agrees to.
  ///   - userID: the user.
  ///   - clientID: the client.
  ///   - end: when the user is asked again, and the record may be removed; nil for never.
  /// - Throws: see ``SessionRecords``.
  public func grant(
    _ scopes: [String], userID: String, clientID: String, until end: NumericDate? = nil
  ) async throws {
    let list = JSONValue.array(scopes.map { .string($0) })
    var consent = record(Self.consentKind, Self.pair(userID, clientID), ["list": list])
    consent.expiresAt = end
    try await records.put(consent)
  }

  // MARK: What logins rest on

  /// The change by which a commit that begins a login rests on its session: it is refused if the session's record has
  /// changed since. Nil if the session has ended; empty if these records have no session of that name.
  package static func requirement(
    of sessionID: String?, in records: any RecordStore
  ) async throws -> [RecordChange]? {
    guard let sessionID, var known = try await records.record(sessionKind, key: Array(sessionID.utf8)) else {
      return []
    }
    guard try session(sessionID, known).isActive else { return nil }
    known.attempt = SystemRandom.bytes(count: 16)
    return [.replace(known)]
  }

  // MARK: Records

  private func record(of session: AuthenticationSession) -> StoredRecord {
    var object: JSONObject = [
      "user": .string(session.userID), "active": .bool(session.isActive),
      "authenticatedAt": JSONValue(session.authenticatedAt),
    ]
    object["context"] = session.authenticationContext.map { .string($0) }
    object["methods"] = session.authenticationMethods.map { .array($0.map { .string($0) }) }
    return record(Self.sessionKind, Array(session.id.utf8), object)
  }

  private static func session(_ id: String, _ record: StoredRecord) throws(JOSEError) -> AuthenticationSession {
    let object = try object(record)
    guard let user = object["user"]?.stringValue, let isActive = object["active"]?.boolValue,
      let date = object["authenticatedAt"]?.doubleValue.flatMap(NumericDate.init(secondsSince1970:))
    else { throw invalid }
    let methods = object["methods"].map(strings)
    if let methods, methods == nil { throw invalid }
    return AuthenticationSession(
      id: id, userID: user, isActive: isActive, authenticatedAt: date,
      authenticationContext: object["context"]?.stringValue, authenticationMethods: methods ?? nil)
  }

  private func record(
    _ kind: StoredRecord.Kind, _ key: [UInt8], _ content: JSONObject, indexes: [StoredRecord.Index] = []
  ) -> StoredRecord {
    var object: JSONObject = ["version": 1]
    for (name, value) in content.members { object[name] = value }
    return StoredRecord(
      kind: kind, key: key, indexes: indexes, createdAt: clock.now, document: object.serialized(),
      attempt: SystemRandom.bytes(count: 16))
  }

  private static func object(_ record: StoredRecord) throws(JOSEError) -> JSONObject {
    guard let object = try? JSONObject(parsing: record.document), object["version"]?.int64Value == 1 else {
      throw invalid
    }
    return object
  }

  private static func strings(_ value: JSONValue?) -> [String]? {
    guard let values = value?.arrayValue?.map(\.stringValue), !values.contains(nil) else { return nil }
    return values.compactMap { $0 }
  }

  /// Two names as one. The length keeps them apart from two others.
  private static func pair(_ first: String, _ second: String) -> [UInt8] {
    Array("\(first.utf8.count).".utf8) + Array(first.utf8) + Array(second.utf8)
  }

  private static var invalid: JOSEError {
    JOSEError(.recordMalformed, "the stored record is not legal")
  }
}

extension SessionRecords: Redacted {}
