import IdentityTesting
import JOSE
import OpenIDKit
import Testing

@testable import NativeSSOKit

/// What is kept of the secrets that rotations have replaced: enough to notice one that comes back, and no more.
@Suite(.timeLimit(.minutes(60))) struct FormerDeviceSecretTests {
  /// Rotates a device's secret, and returns all that it has had.
  private func rotate(
    _ id: String, from first: DeviceSecretFingerprint, times: Int, in store: DeviceSecretRecords, at now: NumericDate
  ) async throws -> [DeviceSecretFingerprint] {
    var secrets = [first]
    for _ in 0..<times {
      let next = DeviceSecret.random().fingerprint
      let isRotated = try await store.rotate(
        id: id, from: secrets[secrets.count - 1], to: next, graceUntil: now.advanced(by: 60), now: now)
      try #require(isRotated)
      secrets.append(next)
    }
    return secrets
  }

  @Test func `the two thousandth rotation reads and writes as much as the first`() async throws {
    let (reads, commits) = (Recorder<Bool>(), Recorder<[StoredRecord]>())
    let records = HookedRecords(
      willRead: { reads.append(true) }, willList: { reads.append(true) },
      willCommit: { changes in
        commits.append(
          changes.compactMap { change -> StoredRecord? in
            switch change {
            case .insert(let record, _), .replace(let record): record
            case .remove: nil
            }
          })
      })
    let (store, now) = (DeviceSecretRecords(records), DeviceSecretRecordsTests.now)
    let device = DeviceSecretRecordsTests.record("1")
    _ = try await DeviceSecretRecordsTests.insert(device, store)
    let before = reads.all.count
    let first = try await rotate("1", from: device.fingerprint, times: 1, in: store, at: now)
    let readsOfOne = reads.all.count - before
    let secrets = try await rotate("1", from: first[1], times: 1_999, in: store, at: now)
    #expect(reads.all.count - before == 2_000 * readsOfOne)
    // The insertion, and a commit for each rotation.
    let written = commits.all
    try #require(written.count == 2_001)
    let indexes = written.dropFirst().map { $0.reduce(0) { $0 + $1.indexes.count } }
    #expect(Set(indexes).count == 1, "\(indexes[0]) and \(indexes[1_999])")
    func octets(_ rotation: Int) -> Int { written[rotation].reduce(0) { $0 + $1.key.count + $1.document.count } }
    // The number of the rotation has three digits more, in the record and in the name of the former secret's.
    #expect(octets(2_000) <= octets(1) + 6)
    let stored = try #require(await records.inner.record(DeviceSecretRecords.kind, key: Array("1".utf8)))
    #expect(stored.indexes.count == 5)
    // The first is noticed nevertheless.
    let later = now.advanced(by: 60)
    for former in [device.fingerprint, secrets[0], secrets[1_998]] {
      #expect(try await store.rotatedRecord(fingerprint: former, now: later)?.id == "1")
    }
  }

  @Test(arguments: [1, 2, 300]) func `reuse of a rotated device secret revokes its record, however many rotations ago`(
    _ rotations: Int
  ) async throws {
    let world = try await World { $0.revokesReusedDeviceSecrets = true }
    let known = try DeviceSecret(WorkedExample.secret).fingerprint
    _ = try await rotate("record-1", from: known, times: rotations, in: world.store, at: world.provider.clock.now)
    world.clock.advance(61)
    #expect(await world.exchange().error == "invalid_grant")
    #expect(try await world.record().revocation?.reason == .reuse)
    #expect(world.audit.all.count { $0.kind == .deviceSecretReused } == 1)
  }

  @Test func `a secret that has been forgotten is refused as an unknown one is`() async throws {
    let records = MemoryRecordStore()
    let world = try await World(records: records) { $0.revokesReusedDeviceSecrets = true }
    let known = try DeviceSecret(WorkedExample.secret).fingerprint
    let now = world.provider.clock.now
    let secrets = try await rotate("record-1", from: known, times: 2, in: world.store, at: now)
    // The former secrets alone have expired: the device's record is kept for 90 days from the end of its life.
    #expect(await records.removeExpired(before: now.advanced(by: 90.0 * 86_400 + 1), limit: 10) == 2)
    world.clock.advance(61)
    let stranger = await world.exchange([("actor_token", DeviceSecret.random().reveal())])
    let forgotten = await world.exchange()
    #expect(forgotten.error == "invalid_grant" && forgotten.body == stranger.body)
    #expect(world.audit.all.allSatisfy { $0.kind != .deviceSecretReused })
    #expect(try await world.record().revocation == nil)
    #expect(try await world.store.record(fingerprint: secrets[2], now: world.provider.clock.now)?.id == "record-1")
  }

  @Test func `a record keeps its rotation count, and one that is invalid or can't grow is refused`() throws {
    var record = DeviceSecretRecordsTests.record("1")
    record.rotationCount = 7
    let copy = try DeviceSecretRecord(parsing: record.serialized())
    #expect(copy.rotationCount == 7 && copy.serialized() == record.serialized())
    for (number, isLegal) in [
      ("0", true), ("9223372036854775806", true), ("9223372036854775807", false), ("-1", false), ("0.5", false),
      ("\"7\"", false),
    ] {
      let text = String(decoding: record.serialized(), as: UTF8.self)
        .replacing("\"rotations\":7", with: "\"rotations\":" + number)
      if isLegal {
        #expect(throws: Never.self) { try DeviceSecretRecord(parsing: text.utf8) }
      } else {
        #expect(throws: JOSEError(.recordMalformed, "")) { try DeviceSecretRecord(parsing: text.utf8) }
      }
    }
  }
}
