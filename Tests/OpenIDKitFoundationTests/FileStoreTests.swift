import Foundation
import JOSEFoundation
import IdentityTesting
import Testing
import OpenIDKit

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

  @Test(arguments: TokenStoreCases.all) func rules(rule: StoreCase<any TokenStore>) async throws {
    let folder = folder
    #expect(try await rule.holds(in: StorePlaces { try FileTokenStore(directory: folder.path + "/" + $0) }))
  }

  @Test(arguments: StoredFormCases.tokens) func damagedFiles(rule: StoreCase<any TokenStore>) async throws {
    let folder = folder
    let places = StorePlaces<any TokenStore> {
      try FileTokenStore(directory: folder.path + "/" + $0)
    } rewriting: { name, change in
      let path = "\(folder.path)/\(name)/login.json"
      let handle = try #require(FileHandle(forUpdatingAtPath: path))
      let document = change([UInt8](try handle.readToEnd() ?? Data()))
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: Data(document))
      try handle.close()
    }
    #expect(try await rule.holds(in: places))
  }

  @Test func `a crash at each step leaves the old record or the new one, and the next write succeeds`() throws {
    let path = folder.path + "/crash"
    var store = try FileTokenStore(directory: path)
    #expect(try store.replace(nil, with: record(1)))
    store.beforeRename = { throw Crash() }
    #expect(throws: Crash.self) { try store.replace(try record(1).version, with: record(2)) }
    let reopened = try FileTokenStore(directory: path)
    #expect(try reopened.load()?.revision == 1)
    #expect(try reopened.replace(record(1).version, with: record(2)))
    #expect(try reopened.load()?.refreshToken == "rt-2")
  }

  @Test func `what can't be read is said so, and written over`() throws {
    let path = folder.path + "/damaged"
    let store = try FileTokenStore(directory: path, name: "a_B-1")
    #expect(try store.replace(nil, with: record(1)))
    try Data("{".utf8).write(to: URL(fileURLWithPath: path + "/a_B-1.json"))
    #expect(throws: TokenRefreshError.self) { try store.load() }
    #expect(try !store.replace(record(1).version, with: record(2)))
    #expect(try store.replace(nil, with: record(3)))
    #expect(try store.load()?.revision == 3)
  }

  @Test func `files are their owner's alone, and names are plain`() throws {
    let path = folder.path + "/private"
    let store = try FileTokenStore(directory: path)
    #expect(try store.replace(nil, with: record(1)))
    let mode = try FileManager.default.attributesOfItem(atPath: path + "/login.json")[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + "/login.json")
    #expect(throws: FileStoreError.notPrivate) { try store.load() }
    for name in ["", "../x", "a/b", ".", "a.b", "\u{E9}", String(repeating: "a", count: 101)] {
      #expect(throws: FileNameInvalid.self) { try FileTokenStore(directory: path, name: name) }
    }
  }

  @Test func `a login in files, as in the article`() async throws {
    struct NoServer: TokenRefresher {
      func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome { .failed(RefreshFailure(.notSent)) }
      func revoke(refreshToken: String) async {}
    }
    let (home, refresher) = (folder.path, NoServer())
    for attempt in 0..<2 {
      let manager = try TokenManager(
        store: FileTokenStore(directory: home + "/.example"), refresher: refresher,
        lock: FileRefreshLock(path: home + "/.example/refresh.lock"))
      if attempt == 0 {
        try await manager.logIn(RefreshedTokens(accessToken: "at", expiresIn: 3600, refreshToken: "rt"))
      }
      #expect(try await manager.validToken().value == "at")
    }
  }

  // MARK: The lock
  // An hour where nothing should end: a busy machine may let a test wait for minutes.

  @Test func `one at a time has the lock, and the next gets it when it is given back`() async {
    let path = folder.path + "/lock"
    let (mine, theirs) = (FileRefreshLock(path: path, pause: 0.001), FileRefreshLock(path: path, pause: 0.001))
    #expect(await mine.acquire(lease: 3600))
    #expect(await !theirs.acquire(lease: 0.02))
    // Nor does it come twice in one process.
    #expect(await !mine.acquire(lease: 0.02))
    await theirs.release()
    #expect(await !theirs.acquire(lease: 0))
    async let next = theirs.acquire(lease: 3600)
    await mine.release()
    #expect(await next)
    await theirs.release()
    #expect(await mine.acquire(lease: 3600))
  }

  @Test func `a lease that is over frees the lock, and a lock that is forgotten too`() async {
    let path = folder.path + "/lease"
    let (mine, theirs) = (FileRefreshLock(path: path, pause: 0.001), FileRefreshLock(path: path, pause: 0.001))
    #expect(await mine.acquire(lease: 0.01))
    #expect(await theirs.acquire(lease: 3600))
    do {
      let forgotten = FileRefreshLock(path: path + "2")
      #expect(await forgotten.acquire(lease: 3600))
    }
    #expect(await FileRefreshLock(path: path + "2").acquire(lease: 3600))
  }

  @Test func `a lock that can't be had is none`() async {
    #expect(await !FileRefreshLock(path: folder.path + "/no/such/folder", pause: 0.001).acquire(lease: 0.01))
  }
}
