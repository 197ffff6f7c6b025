import Foundation

/// A file of test vectors.
public struct VectorFile: Sendable, CustomStringConvertible {
  /// Where it is.
  public let url: URL
  /// Its path from the folder of vectors that it was found in.
  public let path: String

  /// Its name without the folder.
  public var name: String { url.lastPathComponent }
  /// What test reports call it.
  public var description: String { path }

  /// Its content.
  public func octets() throws -> [UInt8] {
    Array(try Data(contentsOf: url))
  }
}

/// Finds files of test vectors.
public enum VectorFiles {
  /// The folder TestVectors of this package.
  public static let ownFolder = packageFolder.appendingPathComponent("TestVectors", isDirectory: true)

  /// More vectors, from elsewhere: the folder that the environment variable PUREJOSE_VECTORS names, or else those
  /// beside the checkout, if there are any.
  public static let otherFolders: [URL] = {
    if let path = ProcessInfo.processInfo.environment["PUREJOSE_VECTORS"] {
      return [URL(fileURLWithPath: path, isDirectory: true)]
    }
    let shared = packageFolder.deletingLastPathComponent().appendingPathComponent("shared", isDirectory: true)
    return ["vectors", "vectors-post-quantum", "vectors-sd-jwt"].map {
      shared.appendingPathComponent($0, isDirectory: true)
    }
    .filter { FileManager.default.fileExists(atPath: $0.path) }
  }()

  /// The package's own files.
  public static let own = files(in: ownFolder, as: "TestVectors")

  /// The other files, if there are any.
  public static let other = otherFolders.flatMap { files(in: $0, as: $0.lastPathComponent) }

  /// One of the package's own files.
  public static func own(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: ownFolder.appendingPathComponent(name)))
  }

  /// Every vector file of a folder and the folders in it: JSON and texts, also compressed, except those that describe
  /// others.
  private static func files(in folder: URL, as name: String) -> [VectorFile] {
    guard let paths = FileManager.default.enumerator(atPath: folder.path) else { return [] }
    return paths.compactMap { $0 as? String }
      .filter { path in endings.contains { path.hasSuffix($0) } }
      .filter { !describing.contains(($0 as NSString).lastPathComponent) }
      .map { VectorFile(url: folder.appendingPathComponent($0), path: "\(name)/\($0)") }
      .sorted { $0.path < $1.path }
  }

  /// A JSON Schema, and a list of overrides.
  private static let describing: Set = ["schema.json", "wycheproof_overrides.json"]

  private static let endings = [".json", ".txt", ".json.gz", ".txt.gz"]

  private static let packageFolder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
