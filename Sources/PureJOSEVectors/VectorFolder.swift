/// Which files of a folder are vector files.
package enum VectorFolder {
  /// Whether a file is to be run when its folder is. JSON files are, except those that describe others.
  package static func runsFile(named name: String) -> Bool {
    name.hasSuffix(".json") && name != VectorOverrides.fileName && name != "schema.json"
  }
}
