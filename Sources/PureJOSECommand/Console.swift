import Foundation
import JOSE
import JOSEFoundation

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
  /// A new file, which may hold a secret.
  var writeFile: @Sendable ([UInt8], String) throws(CommandFailure) -> Void = Console.writeSecretFile
  /// Whether standard input is a terminal, so that a verb which can do without shouldn't wait for it.
  var inputIsTyped: @Sendable () -> Bool = { false }
  /// Whether colors may be written to standard output: it is a terminal, and the variable `NO_COLOR` is not set.
  var outputHasColors: @Sendable () -> Bool = { false }
  /// What is being done, on a line that the next one takes away, and nil to leave none. Only a terminal shows it.
  var showProgress: @Sendable (String?) -> Void = { _ in }

  /// What the command was called by.
  var program = ProgramName(path: "jose")
  /// What carries requests to an issuer.
  var transport: HTTPTransport = URLSessionTransport().send

  func write(_ text: String) { write(Array(text.utf8)) }

  /// Standard input as text, without the byte order mark that some editors write before it.
  func readInputText() throws(CommandFailure) -> [UInt8] { Self.withoutByteOrderMark(try readInput()) }

  /// A file of text, such as JSON and PEM, without a byte order mark.
  func readTextFile(_ path: String) throws(CommandFailure) -> [UInt8] { Self.withoutByteOrderMark(try readFile(path)) }

  private static func withoutByteOrderMark(_ octets: [UInt8]) -> [UInt8] {
    octets.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(octets.dropFirst(3)) : octets
  }

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
        do {
          return Array(try FileFault.opened(path, O_RDONLY).readToEnd() ?? Data())
        } catch {
          throw .usage("the file \(path) can't be read: \(FileFault.reason(error, path, isNew: false))")
        }
      },
      write: { octets in
        guard !isWritten(octets, to: .standardOutput) else { return }
        _ = isWritten(Array("jose: standard output can't be written\n".utf8), to: .standardError)
        exit(ExitStatus.invalid.rawValue)
      },
      writeError: { _ = isWritten(Array(($0 + "\n").utf8), to: .standardError) },
      inputIsTyped: { isTerminal(0) },
      outputHasColors: { isTerminal(1) && ProcessInfo.processInfo.environment["NO_COLOR"]?.isEmpty ?? true },
      showProgress: { text in
        guard isTerminal(2) else { return }
        _ = isWritten(Array("\r\u{1b}[K\(text ?? "")".utf8), to: .standardError)
      })
  }

  /// Whether a file took all octets. A full disk or a reader who is gone must not crash the process: the report would
  /// show its memory, in which there are keys.
  static func isWritten(_ octets: [UInt8], to file: FileHandle) -> Bool {
    (try? file.write(contentsOf: Data(octets))) != nil
  }

  /// - Parameter descriptor: 0 for standard input, 1 for standard output, 2 for standard error.
  private static func isTerminal(_ descriptor: Int32) -> Bool {
    #if os(Windows)
      false
    #else
      isatty(descriptor) == 1
    #endif
  }

  /// Writes a file that only its owner may read, from the moment it is there. One that exists is left alone: it may
  /// hold the only copy of a key. Pipes and devices are written to.
  @Sendable private static func writeSecretFile(_ octets: [UInt8], _ path: String) throws(CommandFailure) {
    let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    guard kind != .typeRegular, kind != .typeDirectory else { throw .usage("\(path) exists, and is not replaced") }
    do {
      // Where nothing was, nothing may have come since.
      try FileFault.opened(path, kind == nil ? O_WRONLY | O_CREAT | O_EXCL : O_WRONLY).write(contentsOf: Data(octets))
    } catch {
      throw .usage("the file \(path) can't be written: \(FileFault.reason(error, path, isNew: true))")
    }
  }
}

extension Arguments {
  /// Writes to the file that `--output` names, or to standard output.
  func write(_ octets: [UInt8], _ console: Console) throws(CommandFailure) {
    guard let path = self["output"] else { return console.write(octets) }
    try console.writeFile(octets, path)
  }
}
