import Foundation

/// The folder with the secrets, and with SQLite's file: two files that only their owner may read. An existing folder
/// keeps its owner and its mode.
enum ProviderFolder {
  /// - Parameters:
  ///   - makes: whether missing parts may be made.
  ///   - hasFile: whether the database is a file in the folder.
  static func open(_ path: String, makes: Bool, hasFile: Bool) throws(StartRefusal) {
    if makes {
      // If this fails, the folder is missing, which the next check reports.
      try? FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    guard let mode = mode(path), mode & Int(S_IFMT) == Int(S_IFDIR) else {
      throw StartRefusal(
        makes
          ? "The folder \(path) can't be made: check the permissions of the folder above."
          : "There is no folder \(path): make it with idp init.")
    }
    guard mode & 0o002 == 0 else {
      throw StartRefusal(
        "Every account may write to the folder \(path), and could replace the secrets: use another one.")
    }
    guard access(path, R_OK | W_OK | X_OK) == 0 else {
      throw StartRefusal("This account can't read and write the folder \(path): change its permissions.")
    }
    guard hasFile else { return }
    // The file that stayed behind is old, and a new one would be empty: both would look like a provider.
    guard Self.mode(path + moveMark) == nil else {
      throw StartRefusal("The folder's database is PostgreSQL's: name it by --database or IDP_DATABASE.")
    }
    let missing = ["secrets.json", "provider.sqlite"].filter { Self.mode("\(path)/\($0)") == nil }
    // New secrets would not open what is in the database.
    guard missing.isEmpty || makes && missing != ["secrets.json"] else {
      throw StartRefusal(
        "There is no \(missing[0]) in the folder \(path): restore it, or make a provider with idp init.")
    }
  }

  /// The file that says that the folder's database is in PostgreSQL.
  static let moveMark = "/moved-to-postgresql"

  /// Notes that the folder's database is in PostgreSQL, so that nothing opens one in the folder.
  static func noteMove(_ path: String) throws(StartRefusal) {
    guard mode(path + moveMark) == nil else { return }
    let isNoted = FileManager.default.createFile(
      atPath: path + moveMark, contents: nil, attributes: [.posixPermissions: 0o600])
    guard isNoted else { throw StartRefusal("The file \(path)\(moveMark) can't be made.") }
  }

  /// The type and the permissions of a file; nil if there is none.
  static func mode(_ path: String) -> Int? {
    var info = stat()
    return stat(path, &info) == 0 ? Int(info.st_mode) : nil
  }
}
