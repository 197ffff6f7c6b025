import Foundation

/// A file of lines that outlives its process: each line is one write, which survives once the call returns.
final class Journal {
  private let file: FileHandle

  init(path: String) throws {
    if !FileManager.default.fileExists(atPath: path) {
      _ = FileManager.default.createFile(atPath: path, contents: nil)
    }
    guard let file = FileHandle(forWritingAtPath: path) else { throw CocoaError(.fileNoSuchFile) }
    self.file = file
    try file.seekToEnd()
  }

  func note(_ words: String...) throws {
    try file.write(contentsOf: Data((words.joined(separator: " ") + "\n").utf8))
  }

  /// The words of each whole line. A process that is killed may leave half of one at the end.
  static func lines(path: String) throws -> [[Substring]] {
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    let text = String(decoding: data, as: UTF8.self)
    let whole = text.split(separator: "\n", omittingEmptySubsequences: true)
    let lines = text.hasSuffix("\n") ? whole[...] : whole.dropLast()
    return lines.map { $0.split(separator: " ") }
  }
}
