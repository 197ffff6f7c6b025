import Foundation
import PlatformSSOKit

/// The state that must survive the process.
struct State: Codable, Sendable {
  /// The private key that signs `id_token`, as a JWK.
  var idTokenKey: Data
  /// Encrypts key contexts, 32 octets.
  var keyContextSecret: Data
  /// Devices, and the keys and logins of their users. Tokens are stored as hashes, and unlock keys are encrypted.
  var records: [KeptRecord] = []
}

/// A folder with one file, which is complete at every moment: a new file is written beside it, flushed to the disk, and
/// then replaces it.
final class StateFolder: Sendable {
  private let file: String
  private let folder: String
  private let lock: Int32

  struct Failure: Error { var reason: String }

  /// Opens a folder, which no other process may use at the same time.
  init(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    folder = path
    file = path + "/state.json"
    lock = open(path + "/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw Failure(reason: "\(path) is in use by another process")
    }
  }

  /// The state, or nil in a new folder. A file that can't be read is an error, not an empty state.
  func load() throws -> State? {
    guard FileManager.default.fileExists(atPath: file) else { return nil }
    return try JSONDecoder().decode(State.self, from: Data(contentsOf: URL(filePath: file)))
  }

  /// Returns when the state is on the disk. Until then no request may be answered.
  func save(_ state: State) throws {
    let octets = try JSONEncoder().encode(state)
    let draft = file + ".new"
    let descriptor = open(draft, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure(reason: "the state can't be written") }
    defer { close(descriptor) }
    let isWritten = octets.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Bool in
      var start = 0
      while start < bytes.count {
        let count = write(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
        guard count > 0 else { return false }
        start += count
      }
      return true
    }
    guard isWritten, fsync(descriptor) == 0, rename(draft, file) == 0 else {
      throw Failure(reason: "the state can't be written")
    }
    // The rename is on the disk once the folder is flushed.
    let directory = open(folder, O_RDONLY | O_CLOEXEC)
    guard directory >= 0 else { throw Failure(reason: "the folder can't be opened") }
    defer { close(directory) }
    guard fsync(directory) == 0 else { throw Failure(reason: "the folder can't be written") }
  }
}
