import JOSE
import OpenIDKit
import PureCrypto

/// Where the command reads and writes. Tests put memory in its place.
struct Console: Sendable {
  /// All of standard input.
  var readInput: @Sendable () throws(CommandFailure) -> [UInt8]
  /// A file named by an argument.
  var readFile: @Sendable (String) throws(CommandFailure) -> [UInt8]
  /// The same, but for what follows the first octet past this many.
  var readInputUpTo: (@Sendable (Int) throws(CommandFailure) -> [UInt8])?
  var readFileUpTo: (@Sendable (String, Int) throws(CommandFailure) -> [UInt8])?
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
  /// Tells the time of a login, and waits.
  var clock = TokenClock.system

  func write(_ text: String) { write(Array(text.utf8)) }

  /// What a verb works on: the file that is its one operand, or standard input without an operand or with `-`.
  func input(of arguments: Arguments, upTo limit: ByteLimit = .file) throws(CommandFailure) -> [UInt8] {
    try arguments.requireAtMostOneOperand()
    guard let path = arguments.operands.first, path != "-" else { return try input(upTo: limit) }
    return try file(path, upTo: limit)
  }

  /// The same as text, without a byte order mark.
  func inputText(of arguments: Arguments, upTo limit: ByteLimit = .file) throws(CommandFailure) -> [UInt8] {
    Self.withoutByteOrderMark(try input(of: arguments, upTo: limit))
  }

  /// The password in the file that `--password-file` names: its first line, without its end and without a byte order
  /// mark. Nil unless one is named.
  func password(of arguments: Arguments) throws(CommandFailure) -> [UInt8]? {
    guard let path = arguments["password-file"] else { return nil }
    return Array(try readTextFile(path).prefix { $0 != 0x0A && $0 != 0x0D })
  }

  /// A file of text, such as JSON and PEM, without a byte order mark.
  func readTextFile(_ path: String) throws(CommandFailure) -> [UInt8] {
    Self.withoutByteOrderMark(try file(path, upTo: .file))
  }

  /// Standard input. Reading ends one octet past the limit.
  func input(upTo limit: ByteLimit) throws(CommandFailure) -> [UInt8] {
    guard let readInputUpTo else { return try limit.accept(readInput()) }
    return try limit.accept(readInputUpTo(limit.count))
  }

  /// A file. Reading ends one octet past the limit.
  func file(_ path: String, upTo limit: ByteLimit) throws(CommandFailure) -> [UInt8] {
    guard let readFileUpTo else { return try limit.accept(readFile(path)) }
    return try limit.accept(readFileUpTo(path, limit.count))
  }

  private static func withoutByteOrderMark(_ octets: [UInt8]) -> [UInt8] {
    octets.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(octets.dropFirst(3)) : octets
  }

  /// The process's own streams and files.
  static var standard: Console {
    let readInput: @Sendable (Int) throws(CommandFailure) -> [UInt8] = { limit throws(CommandFailure) in
      do throws(FileFault) {
        return try SystemInterface.contents(of: 0, upTo: limit)
      } catch {
        throw .invalid("standard input can't be read: \(FileFault.reason(error.code))")
      }
    }
    let readFile: @Sendable (String, Int) throws(CommandFailure) -> [UInt8] = { path, limit throws(CommandFailure) in
      do throws(FileFault) {
        return try SystemInterface.contents(ofFile: path, upTo: limit)
      } catch {
        throw Self.unreadable(path, error)
      }
    }
    return Console(
      readInput: { () throws(CommandFailure) in try readInput(ByteLimit.greatest) },
      readFile: { path throws(CommandFailure) in try readFile(path, ByteLimit.greatest) },
      readInputUpTo: readInput, readFileUpTo: readFile,
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
    guard !Visible.isContent(path) else { throw Visible.contentRefused }
    guard kind != .file, kind != .folder else {
      throw .usage("\(Visible.argument(path)) exists, and is not replaced")
    }
    do throws(FileFault) {
      // Where nothing was, nothing may have come since.
      try SystemInterface.put(octets, intoFile: path, isNew: kind == nil)
    } catch {
      throw .usage("the file \(Visible.argument(path)) can't be written: \(error.reason(path, isNew: true))")
    }
  }

  private static func unreadable(_ path: String, _ error: FileFault) -> CommandFailure {
    guard !Visible.isContent(path) else { return Visible.contentRefused }
    return .usage("the file \(Visible.argument(path)) can't be read: \(error.reason(path, isNew: false))")
  }
}

extension Arguments {
  /// Writes to the file that `--output` names, or to standard output.
  func write(_ octets: [UInt8], _ console: Console) throws(CommandFailure) {
    guard let path = self["output"] else { return console.write(octets) }
    try console.writeFile(octets, path)
  }
}
