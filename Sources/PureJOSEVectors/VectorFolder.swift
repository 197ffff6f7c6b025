/// Which files of a folder are vector files.
package enum VectorFolder {
  /// Whether a file is to be run when its folder is. JSON files and texts are, also compressed by gzip, except those
  /// that describe others.
  package static func runsFile(named name: String) -> Bool {
    let name = withoutCompression(name)
    return isJSON(name) && name != VectorOverrides.fileName && name != "schema.json" || hasEnding(name, ".txt")
  }

  /// Whether a name says that the content is JSON.
  static func isJSON(_ name: String) -> Bool { hasEnding(name, ".json") }

  /// Whether a name says that the content is compressed.
  static func isCompressed(_ name: String) -> Bool { hasEnding(name, ".gz") }

  /// The name of the content of a compressed file; the same for any other.
  static func withoutCompression(_ name: String) -> String {
    isCompressed(name) ? String(decoding: name.utf8.dropLast(3), as: UTF8.self) : name
  }

  /// Whether a name is more than its ending.
  private static func hasEnding(_ name: String, _ ending: String) -> Bool {
    name.utf8.count > ending.utf8.count && name.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
  }
}
