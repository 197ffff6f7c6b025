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
  /// Whether somebody types standard input, so that a verb which can do without shouldn't wait for it.
  var inputIsTyped: @Sendable () -> Bool = { false }

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
        // Read to its end and not to its size, which a pipe has none of: --key <(command) names one.
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.readToEnd() ?? Data() else {
          throw .usage("the file \(path) can't be read")
        }
        return Array(data)
      },
      write: { FileHandle.standardOutput.write(Data($0)) },
      writeError: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) },
      inputIsTyped: { standardInputIsTerminal })
  }

  private static var standardInputIsTerminal: Bool {
    #if os(Windows)
      false
    #else
      isatty(STDIN_FILENO) == 1
    #endif
  }
}
