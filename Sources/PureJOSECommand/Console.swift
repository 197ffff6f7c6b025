import JOSE
import PureCrypto

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
  /// What carries requests to an issuer, in place of the program `curl`.
  var transport: HTTPTransport?

  func write(_ text: String) { write(Array(text.utf8)) }

  /// What a verb works on: the file that is its one operand, or standard input without an operand or with `-`.
  func input(of arguments: Arguments) throws(CommandFailure) -> [UInt8] {
    try arguments.requireAtMostOneOperand()
    guard let path = arguments.operands.first, path != "-" else { return try readInput() }
    return try readFile(path)
  }

  /// The same as text, without a byte order mark.
  func inputText(of arguments: Arguments) throws(CommandFailure) -> [UInt8] {
    Self.withoutByteOrderMark(try input(of: arguments))
  }

  /// The password in the file that `--password-file` names: its first line, without its end. Nil unless one is named.
  func password(of arguments: Arguments) throws(CommandFailure) -> [UInt8]? {
    guard let path = arguments["password-file"] else { return nil }
    return Array(try readFile(path).prefix { $0 != 0x0A && $0 != 0x0D })
  }

  /// A file of text, such as JSON and PEM, without a byte order mark.
  func readTextFile(_ path: String) throws(CommandFailure) -> [UInt8] { Self.withoutByteOrderMark(try readFile(path)) }

  private static func withoutByteOrderMark(_ octets: [UInt8]) -> [UInt8] {
    octets.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(octets.dropFirst(3)) : octets
  }

  /// The process's own streams and files.
  static var standard: Console {
    Console(
      readInput: { () throws(CommandFailure) in
        do throws(FileFault) {
          return try SystemInterface.contents(of: 0)
        } catch {
          throw .invalid("standard input can't be read: \(FileFault.reason(error.code))")
        }
      },
      readFile: { path throws(CommandFailure) in
        do throws(FileFault) {
          return try SystemInterface.contents(ofFile: path)
        } catch {
          throw .usage("the file \(path) can't be read: \(error.reason(path, isNew: false))")
        }
      },
      write: { octets in
        guard !isWritten(octets, to: 1) else { return }
        _ = isWritten(Array("jose: standard output can't be written\n".utf8), to: 2)
        SystemInterface.end(with: .invalid)
      },
      writeError: { _ = isWritten(Array(($0 + "\n").utf8), to: 2) },
      inputIsTyped: { SystemInterface.isTerminal(0) },
      outputHasColors: {
        SystemInterface.isTerminal(1) && OperatingSystem.environmentVariable("NO_COLOR")?.isEmpty ?? true
      },
      showProgress: { text in
        guard SystemInterface.isTerminal(2) else { return }
        _ = isWritten(Array("\r\u{1b}[K\(text ?? "")".utf8), to: 2)
      })
  }

  /// Whether a file took all octets. A full disk or a reader who is gone must not crash the process: the report would
  /// show its memory, in which there are keys.
  static func isWritten(_ octets: [UInt8], to descriptor: Int32) -> Bool {
    (try? SystemInterface.put(octets, into: descriptor)) != nil
  }

  /// Writes a file that only its owner may read, from the moment it is there. One that exists is left alone: it may
  /// hold the only copy of a key. Pipes and devices are written to.
  @Sendable private static func writeSecretFile(_ octets: [UInt8], _ path: String) throws(CommandFailure) {
    let kind = SystemInterface.kind(of: path)
    guard kind != .file, kind != .folder else { throw .usage("\(path) exists, and is not replaced") }
    do throws(FileFault) {
      // Where nothing was, nothing may have come since.
      try SystemInterface.put(octets, intoFile: path, isNew: kind == nil)
    } catch {
      throw .usage("the file \(path) can't be written: \(error.reason(path, isNew: true))")
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
