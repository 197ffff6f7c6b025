import JOSE
import PureCrypto
import StrictJSON

/// Which notifications have been acted on, and the time of the last event that others are outdated by.
struct NotedNotifications: Sendable {
  /// Whether a notification is to be acted on.
  enum Verdict: Sendable, Hashable {
    /// It is new.
    case new
    /// It was delivered before.
    case duplicate
    /// A later event of the same app, user and kind has been applied before.
    case outdated
  }

  private static let names = StoredRecord.Kind(library: "apple-notification")
  private static let topics = StoredRecord.Kind(library: "apple-topic")

  private let records: any RecordStore
  private let clock: WallClock

  init(_ records: any RecordStore, clock: WallClock) { (self.records, self.clock) = (records, clock) }

  /// Says whether to act on a notification, and records nothing: an action that fails is tried again when Apple repeats
  /// the notification.
  ///
  /// - Throws: what the store throws; `ErrorCode.recordMalformed`.
  func verdict(on notification: AppleNotification) async throws -> Verdict { try await look(at: notification).verdict }

  /// Records a notification that has been acted on, and says what it was before. Its name and the time of its topic are
  /// written together or not at all.
  ///
  /// - Parameter expiration: until then the notification's name is remembered.
  /// - Throws: as ``verdict(on:)``.
  func record(_ notification: AppleNotification, expiration: NumericDate) async throws -> Verdict {
    // Each round that goes on saw another writer succeed.
    for _ in 0..<64 {
      let (verdict, name, topic) = try await look(at: notification)
      guard verdict != .duplicate else { return verdict }
      var changes: [RecordChange] = []
      if let name { changes.append(.remove(name.kind, key: name.key, version: name.version)) }
      changes.append(
        .insert(record(Self.names, notification.identity, expiresAt: expiration, document: [])))
      if verdict == .new, let key = notification.topic {
        var time = notification.eventTime
        // One that is told in seconds is new beside a later one of its second, and doesn't move the time back.
        if let topic { time = try max(time, Self.eventTime(topic.document)) }
        var next = record(Self.topics, key, document: Self.document(time))
        next.version = topic?.version ?? 0
        changes.append(topic == nil ? .insert(next) : .replace(next))
      }
      if try await records.settle(changes) == .done { return verdict }
    }
    throw JOSEError(.storeUnavailable, "the notification's record kept changing: send it again later")
  }

  /// What a notification is, with the records of its name, which has expired if it is there and the notification no
  /// duplicate, and of its topic.
  private func look(
    at notification: AppleNotification
  ) async throws -> (verdict: Verdict, name: StoredRecord?, topic: StoredRecord?) {
    // Several events may share a token: the name of each is the token's and its own.
    let name = try await records.record(Self.names, key: Self.key(notification.identity))
    if let name, name.expiresAt.map({ clock.now < $0 }) ?? true { return (.duplicate, name, nil) }
    guard let key = notification.topic, let topic = try await records.record(Self.topics, key: Self.key(key)) else {
      return (.new, name, nil)
    }
    return (try notification.happened(before: Self.eventTime(topic.document)) ? .outdated : .new, name, topic)
  }

  private func record(
    _ kind: StoredRecord.Kind, _ name: [UInt8], expiresAt: NumericDate? = nil, document: [UInt8]
  ) -> StoredRecord {
    StoredRecord(
      kind: kind, key: Self.key(name), createdAt: clock.now, expiresAt: expiresAt, document: document,
      attempt: SystemRandom.bytes(count: 16))
  }

  private static func key(_ name: [UInt8]) -> [UInt8] { Array(SHA2.SHA256.hash(name)) }

  private static func document(_ date: NumericDate) -> [UInt8] {
    let object: JSONObject = ["version": 1, "eventTime": JSONValue(date)]
    return object.serialized()
  }

  private static func eventTime(_ document: [UInt8]) throws(JOSEError) -> NumericDate {
    guard let object = try? JSONObject(parsing: document), object["version"]?.int64Value == 1,
      let date = object["eventTime"]?.doubleValue.flatMap(NumericDate.init(secondsSince1970:))
    else { throw JOSEError(.recordMalformed, "the stored time of an event can't be read") }
    return date
  }
}
