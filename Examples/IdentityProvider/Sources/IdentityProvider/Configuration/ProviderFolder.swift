import Foundation

/// The folder with the secrets, and with SQLite's file: two files that are their owner's alone. A folder that is there
/// keeps its owner and its mode.
enum ProviderFolder {
  /// - Parameters:
  ///   - makes: whether what isn't there may be made.
  ///   - hasFile: whether the database is a file in it.
  static func open(_ path: String, makes: Bool, hasFile: Bool) throws(StartRefusal) {
    if makes {
      // Where this can't be done there is no folder afterwards.
      try? FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    guard let mode = mode(path), mode & Int(S_IFMT) == Int(S_IFDIR) else {
      throw StartRefusal(makes ? "The folder \(path) can't be made." : "There is no folder \(path): idp init makes it.")
    }
    guard mode & 0o002 == 0 else {
      throw StartRefusal("Everybody may write to the folder \(path), and replace the secrets: use one of your own.")
    }
    guard access(path, R_OK | W_OK | X_OK) == 0 else {
      throw StartRefusal("This account may not read and write the folder \(path).")
    }
    guard hasFile else { return }
    let missing = ["secrets.json", "provider.sqlite"].filter { Self.mode("\(path)/\($0)") == nil }
    // Other secrets would not open what is in the database.
    guard missing.isEmpty || makes && missing != ["secrets.json"] else {
      throw StartRefusal(
        "There is no \(missing[0]) in the folder \(path): restore it, or let idp init make a provider.")
    }
  }

  /// The type and the permissions of a file; nil if there is none.
  static func mode(_ path: String) -> Int? {
    var info = stat()
    return stat(path, &info) == 0 ? Int(info.st_mode) : nil
  }
}
