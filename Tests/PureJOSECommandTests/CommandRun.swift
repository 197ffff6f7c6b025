import JOSE
import Synchronization

@testable import PureJOSECommand

/// One run of the command with memory for its streams and files.
struct CommandRun {
  let status: ExitStatus
  let output: [UInt8]
  let errors: [String]
  /// What a terminal would have been shown meanwhile.
  var progress: [String?] = []

  var text: String { String(decoding: output, as: UTF8.self) }

  init(status: ExitStatus, output: [UInt8], errors: [String]) {
    self.status = status
    self.output = output
    self.errors = errors
  }

  /// - Parameters:
  ///   - program: what the command was called by: a name or a path.
  ///   - transport: what answers requests; nothing does unless it is given.
  init(
    _ arguments: [String], input: [UInt8] = [], files: [String: [UInt8]] = [:], program: String = "jose",
    transport: @escaping HTTPTransport = { _ in throw RequestNotSent() }
  ) {
    let streams = Streams()
    let console = Console(
      readInput: { input },
      readFile: { path throws(CommandFailure) in
        guard let file = files[path] else { throw .usage("no such file") }
        return file
      },
      write: { bytes in streams.output.withLock { $0 += bytes } },
      writeError: { line in streams.errors.withLock { $0.append(line) } },
      showProgress: { text in streams.progress.withLock { $0.append(text) } }, program: ProgramName(path: program),
      transport: transport)
    status = JOSECommand(console: console).run(arguments)
    self.output = streams.output.withLock { $0 }
    self.errors = streams.errors.withLock { $0 }
    self.progress = streams.progress.withLock { $0 }
  }

  init(
    _ arguments: [String], input: String, files: [String: [UInt8]] = [:],
    transport: @escaping HTTPTransport = { _ in throw RequestNotSent() }
  ) {
    self.init(arguments, input: Array(input.utf8), files: files, transport: transport)
  }
}

/// What a run has written.
final class Streams: Sendable {
  let output = Mutex<[UInt8]>([])
  let errors = Mutex<[String]>([])
  let progress = Mutex<[String?]>([])
}
