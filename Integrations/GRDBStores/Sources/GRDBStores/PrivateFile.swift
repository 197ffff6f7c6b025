import Foundation

/// Database files that only their owner may read and write.
enum PrivateFile {
  /// Makes the file if it is missing, and removes other accounts' permissions on it and on the files that SQLite has
  /// put beside it. Later files of SQLite get the same permissions.
  static func make(_ path: String) throws {
    if !FileManager.default.fileExists(atPath: path) { try create(path) }
    for ending in ["", "-wal", "-shm"] { try tighten(path + ending) }
  }

  /// Makes an empty file that no other account can open even for a moment. It gets its name after it is closed, because
  /// closing a database file would release all locks that the process has on it.
  private static func create(_ path: String) throws {
    let unnamed = path + "." + UUID().uuidString
    // If this fails, SQLite can't make the file either, and reports the reason.
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
