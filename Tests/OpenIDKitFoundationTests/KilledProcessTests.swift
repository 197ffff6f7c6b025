#if !os(Windows) && !os(WASI) && !os(iOS)
  import Foundation
  import Testing
  import OpenIDKit

  @testable import OpenIDKitFoundation

  /// Processes that share a login in a file, and are killed with `kill -9`.
  @Suite(.serialized) struct KilledProcessTests {
    /// Where the processes that a process has begun work.
    private static func folder(of process: pid_t) -> String {
      FileManager.default.temporaryDirectory.path + "/killed-\(process)"
    }

    /// In a process that is killed.
    private static var folder: String { folder(of: getppid()) }

    private static func inFolder(_ body: (_ path: String) async throws -> Void) async throws {
      let path = folder(of: getpid())
      try? FileManager.default.removeItem(atPath: path)
      defer { try? FileManager.default.removeItem(atPath: path) }
      _ = try FileSecretStore(directory: path, key: [UInt8](0..<32))
      try await body(path)
    }

    private static func record(_ revision: UInt64) throws -> TokenRecord {
      let document =
        #"{"version":1,"loginID":"a","revision":\#(revision),"generation":1,"kind":"refreshable","tokenType":"Bearer","#
        + #""issuedAt":0,"lifetime":3600,"refreshToken":"rt-\#(revision)","lastFullLogin":0}"#
      return try TokenRecord(parsing: document.utf8)
    }

    /// Writes one record after the other, and notes each that the store has taken, until it is killed at any moment.
    private static func workUntilKilled() async throws {
      Thread.detachNewThread {
        usleep(UInt32.random(in: 0..<20_000))
        kill(getpid(), SIGKILL)
      }
      let store = try FileSecretStore(directory: folder, key: [UInt8](0..<32))
      let journal = open(folder + "/journal", O_WRONLY | O_CREAT | O_APPEND, 0o600)
      while true {
        let stored = try store.load()
        let revision = try stored.map { try TokenRecord(parsing: $0.document).revision + 1 } ?? 1
        guard try store.replace(expecting: stored?.version, with: record(revision).serialized()) != nil else {
          continue
        }
        let line = "\(revision)\n"
        _ = line.utf8CString.withUnsafeBytes { write(journal, $0.baseAddress, line.utf8.count) }
      }
    }

    private static func expectKilled() async {
      await #expect(processExitsWith: .signal(SIGKILL)) { try await KilledProcessTests.workUntilKilled() }
    }

    @Test func `two processes that are killed at any moment lose nothing, and write nothing twice`() async throws {
      try await Self.inFolder { path in
        let store = try FileSecretStore(directory: path, key: [UInt8](0..<32))
        for _ in 0..<4 {
          async let other: Void = Self.expectKilled()
          await Self.expectKilled()
          await other
          let journal = (try? String(contentsOfFile: path + "/journal", encoding: .utf8)) ?? ""
          let taken = journal.split(separator: "\n").compactMap { UInt64($0) }
          // What was taken by one is no other's, and the last one is there, or one that was not noted any more.
          #expect(Set(taken).count == taken.count)
          let document = try store.load()
          let stored = try document.map { try TokenRecord(parsing: $0.document) }
          #expect(stored?.revision ?? 0 >= taken.max() ?? 0)
          #expect(stored?.refreshToken == stored.map { "rt-\($0.revision)" })
          let next = try Self.record((stored?.revision ?? 0) + 1)
          #expect(try store.replace(expecting: document?.version, with: next.serialized()) != nil)
        }
      }
    }

    @Test func `a process that is killed before its record takes the old one's place leaves that one`() async throws {
      try await Self.inFolder { path in
        let store = try FileSecretStore(directory: path, key: [UInt8](0..<32))
        let version = try store.replace(expecting: nil, with: Self.record(1).serialized())
        await #expect(processExitsWith: .signal(SIGKILL)) {
          var store = try FileSecretStore(directory: KilledProcessTests.folder, key: [UInt8](0..<32))
          store.beforeRename = { kill(getpid(), SIGKILL) }
          _ = try store.replace(
            expecting: store.load()?.version, with: KilledProcessTests.record(2).serialized())
        }
        #expect(try await TokenRecords(store).load()?.revision == 1)
        #expect(try store.replace(expecting: version, with: Self.record(2).serialized()) != nil)
        #expect(try await TokenRecords(store).load()?.refreshToken == "rt-2")
      }
    }

    @Test func `the lock of a process that is killed is free`() async throws {
      try await Self.inFolder { path in
        await #expect(processExitsWith: .signal(SIGKILL)) {
          let lock = FileRefreshLock(path: KilledProcessTests.folder + "/lock")
          if await lock.acquire(lease: .seconds(3600)) { kill(getpid(), SIGKILL) }
        }
        #expect(await FileRefreshLock(path: path + "/lock").acquire(lease: .seconds(3600)))
      }
    }
  }
#endif
