import Foundation
import StrictJSON

/// Reads the folder TestVectors, from which seeds are made.
package struct VectorFolderReader: Sendable {
  private let folder: URL

  package init(folder: String) {
    self.folder = URL(fileURLWithPath: folder, isDirectory: true)
  }

  /// One file as it is.
  func octets(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  /// The tests of one file.
  func tests(_ name: String) throws -> [JSONObject] {
    let file = try JSONObject(
      parsing: octets(name), limits: JSONLimits(maximumByteCount: 64 << 20, maximumElementCount: 4_000_000))
    return (file["testGroups"]?.arrayValue ?? []).flatMap { group in
      (group.objectValue?["tests"]?.arrayValue ?? []).compactMap(\.objectValue)
    }
  }

  /// A text member of every test that has it, without repetitions.
  func texts(_ names: String..., member: String) throws -> [[UInt8]] {
    var known: Set<[UInt8]> = []
    return try names.flatMap { try tests($0) }.compactMap { $0[member]?.stringValue.map { Array($0.utf8) } }
      .filter { known.insert($0).inserted }
  }

  /// An object member of every test that has it, as text.
  func objects(_ names: String..., member: String) throws -> [[UInt8]] {
    var known: Set<[UInt8]> = []
    return try names.flatMap { try tests($0) }.compactMap { $0[member]?.objectValue?.serialized() }
      .filter { known.insert($0).inserted }
  }
}
