import Foundation
import JOSEHTTP
import JOSE
import NativeSSO
import NativeSSOFoundation
import StrictJSON
import Testing

@Suite("Stores")
struct StoreTests {
  struct Crash: Error {}

  private func directory() -> String {
    FileManager.default.temporaryDirectory.path + "/native-sso-\(UUID().uuidString)"
  }

  @Test("The device-secret store in memory conforms")
  func deviceSecrets() async throws {
    let findings = try await DeviceSecretStoreConformance.check { InMemoryDeviceSecretStore() }
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test("The conformance suite finds what is wrong with a store", arguments: BrokenStore.Defect.allCases)
  func brokenStore(defect: BrokenStore.Defect) async throws {
    let findings = try await DeviceSecretStoreConformance.check { BrokenStore(defect) }
    #expect(!findings.isEmpty)
  }

  @Test("The pair stores in memory and in files conform")
  func pairs() async throws {
    let first = try #require(try Device.pair())
    let second = try #require(try Device.pair(secret: WorkedExample.secondSecret, subject: "user-other"))
    let memory = try await SSOPairStoreConformance.check(first, second) { InMemorySSOPairStore() }
    #expect(memory.isEmpty, "\(memory)")
    let path = directory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let files = try await SSOPairStoreConformance.check(first, second) { try FileSSOPairStore(directory: path) }
    #expect(files.isEmpty, "\(files)")
  }

  @Test("Files have mode 0600 in a directory of mode 0700, and what others can read is refused")
  func modes() throws {
    let path = directory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try FileSSOPairStore(directory: path)
    #expect(try store.replace(issuer: World.issuer, expecting: 0, with: Device.pair()))
    func mode(_ path: String) throws -> Int? {
      (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }
    #expect(try mode(path) == 0o700)
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      #expect(try mode(path + "/" + name) == 0o600)
      #expect(!name.contains("example"))
    }
    let file = try #require(try FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasSuffix(".json") })
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + "/" + file)
    #expect(throws: FileStoreError.notPrivate) { try store.read(issuer: World.issuer) }
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    #expect(throws: FileStoreError.notPrivate) { try FileSSOPairStore(directory: path) }
  }

  @Test("N37 a crash before the new file takes the old one's place leaves the old pair, and the next write succeeds")
  func n37() throws {
    let path = directory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    var store = try FileSSOPairStore(directory: path)
    let old = try Device.pair()
    let new = try Device.pair(secret: WorkedExample.secondSecret)
    #expect(try store.replace(issuer: World.issuer, expecting: 0, with: old))
    let before = try store.read(issuer: World.issuer).serialized
    store.beforeRename = { throw Crash() }
    #expect(throws: Crash.self) { try store.replace(issuer: World.issuer, expecting: 1, with: new) }
    // The half-done file lies there, as after a crash.
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).contains { $0.hasSuffix(".new") })
    let reopened = try FileSSOPairStore(directory: path)
    #expect(try reopened.read(issuer: World.issuer).serialized == before)
    #expect(try reopened.replace(issuer: World.issuer, expecting: 1, with: new))
    #expect(try reopened.read(issuer: World.issuer).pair?.deviceSecret.reveal() == WorkedExample.secondSecret)
  }

  @Test("N37 a reader during many writes sees one pair or the other, never a mix")
  func n37Readers() async throws {
    let path = directory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try FileSSOPairStore(directory: path)
    let pairs = [
      try #require(try Device.pair()),
      try #require(try Device.pair(secret: WorkedExample.secondSecret, subject: "user-other")),
    ]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<2 {
        group.addTask {
          for _ in 0..<20 {
            let generation = try store.read(issuer: World.issuer).generation
            _ = try store.replace(issuer: World.issuer, expecting: generation, with: pairs[writer])
          }
        }
      }
      group.addTask {
        for _ in 0..<200 {
          guard let pair = try store.read(issuer: World.issuer).pair else { continue }
          let isFirst = pair.deviceSecret.isSame(as: pairs[0].deviceSecret)
          #expect(pair.subject == (isFirst ? pairs[0] : pairs[1]).subject)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("Stored documents that are not legal are refused", arguments: 0..<12)
  func documents(index: Int) throws {
    let changes: [(String, JSONValue?)] = [
      ("v", 2), ("v", nil), ("gen", -1), ("gen", "1"), ("issuer", nil), ("sub", ""), ("client_id", 7),
      ("device_secret", "a b"), ("device_secret", nil), ("id_token", nil), ("stored_at", "now"), ("writer", nil),
    ]
    var document = Device.pairDocument()
    #expect(throws: Never.self) { try SSOPairEntry(parsing: document.serialized()) }
    document[changes[index].0] = changes[index].1
    #expect(throws: NativeSSOError(.storedPairInvalid, "")) { try SSOPairEntry(parsing: document.serialized()) }
  }

  @Test("A file that is no document makes the app log in, and is replaced by the login")
  func damagedFile() async throws {
    let path = directory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try FileSSOPairStore(directory: path)
    let device = Device(try await World(seedsPair: false))
    let app = NativeSSOClient(device.configuration("app-a"), store: store, appTokens: InMemoryAppTokenStore())
    #expect(try await device.logIn(app).sharing == .stored)
    let other = NativeSSOClient(device.configuration("app-b"), store: store, appTokens: InMemoryAppTokenStore())
    #expect(await other.signInSilently().signIn != nil)
    let file = try #require(try FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasSuffix(".json") })
    try Data("{".utf8).write(to: URL(fileURLWithPath: path + "/" + file))
    #expect(await other.signInSilently().reason == .storeFailed)
  }
}

/// A store with one defect, which the conformance suite must find.
actor BrokenStore: DeviceSecretStore {
  enum Defect: CaseIterable, Sendable {
    case ignoresLimit, countsExpired, ignoresUseLimit, forgetsToRevokeExhausted, servesExpired, unlimitedGrace
    case rotatesTwice, revokesTwice, ignoresSessions, comparesUsersAsStrings, losesReason, keepsStale
  }

  private let inner = InMemoryDeviceSecretStore()
  private let defect: Defect

  init(_ defect: Defect) { self.defect = defect }

  func insert(
    _ record: DeviceSecretRecord, limit: Int, overflow: NativeSSOSettings.OverflowBehavior, now: NumericDate
  ) async -> DeviceSecretInsertion {
    switch defect {
    case .ignoresLimit: return await inner.insert(record, limit: .max, overflow: overflow, now: now)
    case .countsExpired: return await inner.insert(record, limit: limit, overflow: overflow, now: NumericDate(0))
    case .comparesUsersAsStrings:
      let folded = DeviceSecretRecord(
        id: record.id, fingerprint: record.fingerprint, userID: record.userID == "user-\u{E9}" ? "x" : record.userID,
        sessionID: record.sessionIDs[0], clientID: record.clientID, createdAt: record.createdAt,
        expiresAt: record.expiresAt)
      return await inner.insert(folded, limit: limit, overflow: overflow, now: now)
    default: return await inner.insert(record, limit: limit, overflow: overflow, now: now)
    }
  }

  func record(fingerprint: DeviceSecretFingerprint, now: NumericDate) async -> DeviceSecretRecord? {
    await inner.record(fingerprint: fingerprint, now: defect == .unlimitedGrace ? NumericDate(0) : now)
  }

  func record(id: String) async -> DeviceSecretRecord? {
    var record = await inner.record(id: id)
    if defect == .forgetsToRevokeExhausted, record?.revocation?.reason == .useCountExceeded { record?.revocation = nil }
    if defect == .losesReason, let date = record?.revocation?.date { record?.revocation = (date, .sessionLogout) }
    return record
  }

  func records(userID: String) async -> [DeviceSecretRecord] {
    await inner.records(userID: defect == .comparesUsersAsStrings && userID == "user-\u{E9}" ? "x" : userID)
  }

  func consume(id: String, useLimit: Int?, now: NumericDate) async -> DeviceSecretConsumption {
    switch defect {
    case .ignoresUseLimit: await inner.consume(id: id, useLimit: nil, now: now)
    case .servesExpired: await inner.consume(id: id, useLimit: useLimit, now: NumericDate(0))
    default: await inner.consume(id: id, useLimit: useLimit, now: now)
    }
  }

  func attach(sessionID: String, to id: String, now: NumericDate) async -> Bool {
    defect == .ignoresSessions ? true : await inner.attach(sessionID: sessionID, to: id, now: now)
  }

  func rotate(
    id: String, from current: DeviceSecretFingerprint, to next: DeviceSecretFingerprint, graceUntil: NumericDate,
    now: NumericDate
  ) async -> Bool {
    let isRotated = await inner.rotate(id: id, from: current, to: next, graceUntil: graceUntil, now: now)
    return defect == .rotatesTwice ? true : isRotated
  }

  func revoke(id: String, reason: RevocationReason, now: NumericDate) async -> DeviceSecretRevocation {
    let outcome = await inner.revoke(id: id, reason: reason, now: now)
    return defect == .revokesTwice && outcome == .alreadyRevoked ? .revoked : outcome
  }

  func revokeAll(userID: String, reason: RevocationReason, now: NumericDate) async -> Int {
    if defect == .comparesUsersAsStrings { _ = await inner.revokeAll(userID: "x", reason: reason, now: now) }
    return await inner.revokeAll(userID: userID, reason: reason, now: now)
  }

  func revokeAll(sessionID: String, reason: RevocationReason, now: NumericDate) async -> Int {
    await inner.revokeAll(sessionID: sessionID, reason: reason, now: now)
  }

  func removeStale(now: NumericDate, revokedBefore: NumericDate) async -> Int {
    defect == .keepsStale ? 0 : await inner.removeStale(now: now, revokedBefore: revokedBefore)
  }
}
