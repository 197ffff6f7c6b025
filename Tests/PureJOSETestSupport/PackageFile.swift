import Foundation

/// Files of the package, found from where this one lies.
public enum PackageFile {
  /// A file's content, by its path from the package's folder.
  public static func octets(_ path: String) throws -> [UInt8] {
    let folder = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return Array(try Data(contentsOf: folder.appendingPathComponent(path)))
  }
}
