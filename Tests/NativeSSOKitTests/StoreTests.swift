import Foundation
import JOSE
import JOSEFoundation
import NativeSSOKit
import OpenIDKit
import OpenIDKitFoundation
import StrictJSON
import Testing

@Suite("Stores")
struct StoreTests {
  struct Crash: Error {}

  private static let key = [UInt8](0..<32)

  private func directory() -> String {
    FileManager.default.temporaryDirectory.path + "/native-sso-\(UUID().uuidString)"
  }

  @Test("Files have mode 0600 in a directory of mode 0700, and what others can read is refused")
  func modes() async throws {
    let path = directory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try FileSecretStore(directory: path, name: "pair", key: Self.key)
    #expect(try await SharedPair(store).replace(expecting: 0, with: Device.pair()))
    func mode(_ path: String) throws -> Int? {
      (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }
    #expect(try mode(path) == 0o700)
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      #expect(try mode(path + "/" + name) == 0o600)
      #expect(!name.contains("example"))
    }
    let file = try #require(try FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasSuffix(".sealed") })
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + "/" + file)
    await #expect(throws: FileStoreError.notPrivate) { try await SharedPair(store).read() }
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    #expect(throws: FileStoreError.notPrivate) { try FileSecretStore(directory: path, name: "pair", key: Self.key) }
  }

  @Test("Who has loaded a pair writes the next without loading it again, unless another was faster")
  func oneLoad() async throws {
    let store = CountingStore()
    let shared = SharedPair(store)
    let stored = try await shared.load()
    #expect(try await shared.replace(stored, with: Device.pair()))
    #expect(await store.loads == 1)
    #expect(try await !shared.replace(stored, with: nil))
    #expect(try await shared.read().pair != nil)
  }

  @Test("N37 a crash before the new file takes the old one's place leaves the old pair, and the next write succeeds")
  func n37() async throws {
    let path = directory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    var store = try FileSecretStore(directory: path, name: "pair", key: Self.key)
    let old = try Device.pair()
    let new = try Device.pair(secret: WorkedExample.secondSecret)
    #expect(try await SharedPair(store).replace(expecting: 0, with: old))
    let before = try await SharedPair(store).read().serialized
    store.beforeRename = { throw Crash() }
    await #expect(throws: Crash.self) { try await SharedPair(store).replace(expecting: 1, with: new) }
    // The half-done file lies there, as after a crash.
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).contains { $0.hasSuffix(".new") })
    let reopened = try FileSecretStore(directory: path, name: "pair", key: Self.key)
    #expect(try await SharedPair(reopened).read().serialized == before)
    #expect(try await SharedPair(reopened).replace(expecting: 1, with: new))
    #expect(try await SharedPair(reopened).read().pair?.deviceSecret.reveal() == WorkedExample.secondSecret)
  }

  @Test("N37 a reader during many writes sees one pair or the other, never a mix")
  func n37Readers() async throws {
    let path = directory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try FileSecretStore(directory: path, name: "pair", key: Self.key)
    let pairs = [
      try #require(try Device.pair()),
      try #require(try Device.pair(secret: WorkedExample.secondSecret, subject: "user-other")),
    ]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<2 {
        group.addTask {
          for _ in 0..<20 {
            let generation = try await SharedPair(store).read().generation
            _ = try await SharedPair(store).replace(expecting: generation, with: pairs[writer])
          }
        }
      }
      group.addTask {
        for _ in 0..<200 {
          guard let pair = try await SharedPair(store).read().pair else { continue }
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
    #expect(throws: JOSEError(.recordMalformed, "")) { try SSOPairEntry(parsing: document.serialized()) }
  }

  @Test("A file that is no document makes the app log in, and is replaced by the login")
  func damagedFile() async throws {
    let path = directory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try FileSecretStore(directory: path, name: "pair", key: Self.key)
    let device = Device(try await World(seedsPair: false))
    let app = NativeSSOClient(device.configuration("app-a"), pairs: store, appTokens: KeptTokens())
    #expect(try await device.logIn(app).sharing == .stored)
    let other = NativeSSOClient(device.configuration("app-b"), pairs: store, appTokens: KeptTokens())
    #expect(await other.signInSilently().signIn != nil)
    let file = try #require(try FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasSuffix(".sealed") })
    try Data("{".utf8).write(to: URL(fileURLWithPath: path + "/" + file))
    #expect(await other.signInSilently().reason == .storeFailed)
  }
}

/// Counts how often it is read.
private actor CountingStore: SecretStore {
  private let inner = MemorySecretStore()
  private(set) var loads = 0

  func load() async -> StoredSecret? {
    loads += 1
    return await inner.load()
  }

  func replace(expecting version: [UInt8]?, with document: [UInt8]?) async -> [UInt8]? {
    await inner.replace(expecting: version, with: document)
  }
}
