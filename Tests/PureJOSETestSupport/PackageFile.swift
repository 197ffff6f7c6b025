import Foundation

/// Files of the package, found from where this one lies.
public enum PackageFile {
  /// A file's content, by its path from the package's folder.
  public static func octets(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: self.path(path))))
  }

  /// Where a file is, by its path from the package's folder.
  public static func path(_ path: String) -> String {
    let folder = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return folder.appendingPathComponent(path).path
  }
}
