import Foundation
import JOSEFoundation
import IdentityTesting
import Testing
import OpenIDKit
import PureCrypto

@testable import OpenIDKitFoundation

@Suite struct FileStoreTests {
  struct Crash: Error {}

  /// A folder that goes with its test.
  private final class Folder: Sendable {
    let path = FileManager.default.temporaryDirectory.path + "/token-files-\(UUID().uuidString)"

    init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private let folder = Folder()

  private func record(_ revision: UInt64) throws -> TokenRecord {
    let document =
      #"{"version":1,"loginID":"a","revision":\#(revision),"generation":1,"kind":"refreshable","tokenType":"Bearer","#
      + #""issuedAt":0,"lifetime":3600,"refreshToken":"rt-\#(revision)","lastFullLogin":0}"#
    return try TokenRecord(parsing: document.utf8)
  }

  @Test(arguments: SecretStoreCases.all) func rules(rule: StoreCase<any SecretStore>) async throws {
    let folder = folder
    for key in [nil, Self.key] {
      let places = StorePlaces<any SecretStore> { try FileSecretStore(directory: folder.path + "/" + $0, key: key) }
      #expect(try await rule.holds(in: places))
    }
  }

  private static let key = [UInt8](0..<32)

  private func contents(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private func write(_ content: [UInt8], _ path: String) throws {
    let handle = try #require(FileHandle(forUpdatingAtPath: path))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(content))
    try handle.close()
  }

  @Test func `a file holds nothing of the document, and each write another vector`() throws {
    let path = folder.path + "/sealed"
    let store = try FileSecretStore(directory: path, name: "a", key: Self.key)
    let document = Array("refresh token".utf8)
    #expect(try store.replace(expecting: nil, with: document) != nil)
    let first = try contents(path + "/a.sealed")
    #expect(first.count == 1 + 12 + document.count + 16 && first[0] == 1)
    #expect(!first.indices.contains { first[$0...].starts(with: document) })
    #expect(try store.replace(expecting: store.load()?.version, with: document) != nil)
    #expect(try contents(path + "/a.sealed")[1...12] != first[1...12])
    #expect(try store.load()?.document == document)
  }

  @Test func `a file that was changed, cut, or is another's, is an empty document that gives way`() throws {
    let path = folder.path + "/changed"
    let store = try FileSecretStore(directory: path, name: "a", key: Self.key)
    _ = try store.replace(expecting: nil, with: [1, 2, 3])
    let sound = try contents(path + "/a.sealed")
    let other = try FileSecretStore(directory: path, name: "b", key: Self.key)
    _ = try other.replace(expecting: nil, with: [4])
    let stranger = try FileSecretStore(directory: folder.path + "/stranger", name: "a", key: Self.key.reversed())
    _ = try stranger.replace(expecting: nil, with: [5])
    var damaged = [
      try contents(path + "/b.sealed"), try contents(folder.path + "/stranger/a.sealed"), [], [1], [1, 2, 3],
    ]
    damaged += sound.indices.map { index in sound[..<index] + [sound[index] ^ 1] + sound[(index + 1)...] }
    damaged += sound.indices.map { Array(sound.prefix($0)) } + [sound + [0]]
    for content in damaged {
      try write(content, path + "/a.sealed")
      let found = try #require(try store.load())
      #expect(found.document == [])
      #expect(try store.replace(expecting: nil, with: [9]) == nil)
      #expect(try store.replace(expecting: found.version, with: [1, 2, 3]) != nil)
      #expect(try store.load()?.document == [1, 2, 3])
    }
    for count in [0, 15, 31, 33] {
      #expect(throws: CryptoError.self) {
        try FileSecretStore(directory: path, key: [UInt8](repeating: 0, count: count))
      }
    }
  }

  @Test func `a login that was stored in the clear is read on, and moves into an encrypted file`() async throws {
    let path = folder.path + "/moved"
    let plain = try FileSecretStore(directory: path, key: nil)
    #expect(try plain.replace(expecting: nil, with: []) != nil)
    // As the version before wrote it.
    try write(record(5).serialized(), path + "/login.json")
    let stored = try #require(try plain.load())
    #expect(try await TokenRecords(plain).load()?.revision == 5)
    let sealed = try FileSecretStore(directory: path, key: Self.key)
    #expect(try sealed.replace(expecting: nil, with: stored.document) != nil)
    #expect(try plain.replace(expecting: stored.version, with: nil) != nil)
    #expect(try await TokenRecords(sealed).load()?.refreshToken == "rt-5")
  }

  @Test func `a crash at each step leaves the old record or the new one, and the next write succeeds`() async throws {
    let path = folder.path + "/crash"
    var store = try FileSecretStore(directory: path, key: Self.key)
    let version = try store.replace(expecting: nil, with: record(1).serialized())
    store.beforeRename = { throw Crash() }
    let crashing = store
    #expect(throws: Crash.self) { try crashing.replace(expecting: version, with: record(2).serialized()) }
    let reopened = try FileSecretStore(directory: path, key: Self.key)
    #expect(try await TokenRecords(reopened).load()?.revision == 1)
    #expect(try reopened.replace(expecting: version, with: record(2).serialized()) != nil)
    #expect(try await TokenRecords(reopened).load()?.refreshToken == "rt-2")
  }

  @Test func `what can't be read is said so, and written over`() async throws {
    let path = folder.path + "/damaged"
    let store = try FileSecretStore(directory: path, name: "a_B-1", key: nil)
    let version = try store.replace(expecting: nil, with: record(1).serialized())
    try write(Array("{".utf8), path + "/a_B-1.json")
    await #expect(throws: OpenIDError.self) { try await TokenRecords(store).load() }
    #expect(try store.replace(expecting: version, with: record(2).serialized()) == nil)
    #expect(try store.replace(expecting: store.load()?.version, with: record(3).serialized()) != nil)
    #expect(try await TokenRecords(store).load()?.revision == 3)
  }

  @Test func `files are their owner's alone, and names are plain`() throws {
    for (key, file) in [(nil, "login.json"), (Self.key, "login.sealed")] {
      let path = folder.path + "/private-" + file
      let store = try FileSecretStore(directory: path, key: key)
      #expect(try store.replace(expecting: nil, with: [1]) != nil)
      let mode = try FileManager.default.attributesOfItem(atPath: path + "/" + file)[.posixPermissions] as? NSNumber
      #expect(mode?.intValue == 0o600)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + "/" + file)
      #expect(throws: FileStoreError.notPrivate) { try store.load() }
      for name in ["", "../x", "a/b", ".", "a.b", "\u{E9}", String(repeating: "a", count: 101)] {
        #expect(throws: FileNameInvalid.self) { try FileSecretStore(directory: path, name: name, key: key) }
      }
    }
  }

  @Test func `a login in files, as in the article`() async throws {
    struct NoServer: TokenRefresher {
      func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome { .failed(RefreshFailure(.notSent)) }
      func revoke(refreshToken: String) async {}
    }
    let (home, refresher, key) = (folder.path, NoServer(), [UInt8](repeating: 7, count: 32))
    for attempt in 0..<2 {
      let manager = try TokenManager(
        store: FileSecretStore(directory: home + "/.example", key: key), refresher: refresher,
        lock: FileRefreshLock(path: home + "/.example/refresh.lock"))
      if attempt == 0 {
        try await manager.logIn(TokenAnswer(accessToken: "at", expiresIn: .seconds(3600), refreshToken: "rt"))
      }
      #expect(try await manager.validToken().value == "at")
    }
  }

  // MARK: The lock
  // An hour where nothing should end: a busy machine may let a test wait for minutes.

  @Test func `one at a time has the lock, and the next gets it when it is given back`() async {
    let path = folder.path + "/lock"
    let (mine, theirs) = (
      FileRefreshLock(path: path, pause: .milliseconds(1)), FileRefreshLock(path: path, pause: .milliseconds(1))
    )
    #expect(await mine.acquire(lease: .seconds(3600)))
    #expect(await !theirs.acquire(lease: .milliseconds(20)))
    // Nor does it come twice in one process.
    #expect(await !mine.acquire(lease: .milliseconds(20)))
    await theirs.release()
    #expect(await !theirs.acquire(lease: .zero))
    async let next = theirs.acquire(lease: .seconds(3600))
    await mine.release()
    #expect(await next)
    await theirs.release()
    #expect(await mine.acquire(lease: .seconds(3600)))
  }

  @Test func `a lease that is over frees the lock, and a lock that is forgotten too`() async {
    let path = folder.path + "/lease"
    let (mine, theirs) = (
      FileRefreshLock(path: path, pause: .milliseconds(1)), FileRefreshLock(path: path, pause: .milliseconds(1))
    )
    #expect(await mine.acquire(lease: .milliseconds(10)))
    #expect(await theirs.acquire(lease: .seconds(3600)))
    do {
      let forgotten = FileRefreshLock(path: path + "2")
      #expect(await forgotten.acquire(lease: .seconds(3600)))
    }
    #expect(await FileRefreshLock(path: path + "2").acquire(lease: .seconds(3600)))
  }

  @Test func `a lock that can't be had is none`() async {
    #expect(
      await !FileRefreshLock(path: folder.path + "/no/such/folder", pause: .milliseconds(1)).acquire(
        lease: .milliseconds(10)))
  }
}
