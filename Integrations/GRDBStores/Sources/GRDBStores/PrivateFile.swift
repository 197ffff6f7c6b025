import Foundation

/// Database files that only their owner may read and write.
enum PrivateFile {
  /// Makes a file unless it is there, and takes away what others may do with it and with those that SQLite has put
  /// beside it. What SQLite makes later gets the file's own permissions.
  static func make(_ path: String) throws {
    if !FileManager.default.fileExists(atPath: path) { try create(path) }
    for ending in ["", "-wal", "-shm"] { try tighten(path + ending) }
  }

  /// Makes an empty file that nobody else may open even for a moment. It gets its name when it is closed: to close a
  /// file of SQLite's lets go of all locks that the process has on it.
  private static func create(_ path: String) throws {
    let unnamed = path + "." + UUID().uuidString
    // Where this can't be done SQLite makes no file either, and says why.
    guard FileManager.default.createFile(atPath: unnamed, contents: nil, attributes: [.posixPermissions: 0o600]) else {
      return
    }
    defer { try? FileManager.default.removeItem(atPath: unnamed) }
    do {
      try FileManager.default.linkItem(atPath: unnamed, toPath: path)
    } catch {
      // Another process may have been faster.
      guard FileManager.default.fileExists(atPath: path) else { throw error }
    }
  }

  private static func tighten(_ path: String) throws {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
      let permissions = attributes[.posixPermissions] as? Int, permissions & 0o077 != 0
    else { return }
    try FileManager.default.setAttributes([.posixPermissions: permissions & 0o700], ofItemAtPath: path)
  }
}
