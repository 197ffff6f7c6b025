import Foundation
import JOSE
import NativeSSOKit
import NativeSSOKitFoundation
import StrictJSON
import Testing

@Suite("Stores")
struct StoreTests {
  struct Crash: Error {}

  private func directory() -> String {
    FileManager.default.temporaryDirectory.path + "/native-sso-\(UUID().uuidString)"
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
    #expect(throws: NativeSSOError(.recordMalformed, "")) { try SSOPairEntry(parsing: document.serialized()) }
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
