import Foundation

/// Where the command reads and writes. Tests put memory in its place.
struct Console: Sendable {
  /// All of standard input.
  var readInput: @Sendable () throws(CommandFailure) -> [UInt8]
  /// A file named by an argument.
  var readFile: @Sendable (String) throws(CommandFailure) -> [UInt8]
  /// Standard output.
  var write: @Sendable ([UInt8]) -> Void
  /// Standard error, one line.
  var writeError: @Sendable (String) -> Void

  func write(_ text: String) { write(Array(text.utf8)) }

  /// The process's own streams and files.
  static var standard: Console {
    Console(
      readInput: { () throws(CommandFailure) in
        do {
          return try Array(FileHandle.standardInput.readToEnd() ?? Data())
        } catch {
          throw .invalid("standard input can't be read")
        }
      },
      readFile: { path throws(CommandFailure) in
        guard let data = FileManager.default.contents(atPath: path) else {
          throw .usage("the file \(path) can't be read")
        }
        return Array(data)
      },
      write: { FileHandle.standardOutput.write(Data($0)) },
      writeError: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) })
  }
}
