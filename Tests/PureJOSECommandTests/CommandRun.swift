import Dispatch
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

  /// - Parameter program: what the command was called by: a name or a path.
  init(_ arguments: [String], input: [UInt8] = [], files: [String: [UInt8]] = [:], program: String = "jose") {
    self.init(arguments, input, files, program, transport: { _ in throw RequestNotSent() })
  }

  init(_ arguments: [String], input: String, files: [String: [UInt8]] = [:]) {
    self.init(arguments, input: Array(input.utf8), files: files)
  }

  /// A run whose requests are answered by a transport, on a thread that may wait for tasks.
  static func answered(
    by transport: @escaping HTTPTransport, _ arguments: [String], input: String, files: [String: [UInt8]] = [:]
  ) async -> CommandRun {
    await onAWaitingThread { CommandRun(arguments, Array(input.utf8), files, "jose", transport: transport) }
  }

  private init(
    _ arguments: [String], _ input: [UInt8], _ files: [String: [UInt8]], _ program: String,
    transport: @escaping HTTPTransport
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
}

/// Runs what waits for tasks on a thread that is none of the few that tasks, and tests, run on: if all of those waited,
/// nothing would go on.
func onAWaitingThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { done in
    DispatchQueue(label: "jose.test").async { done.resume(returning: body()) }
  }
}

/// What a run has written.
final class Streams: Sendable {
  let output = Mutex<[UInt8]>([])
  let errors = Mutex<[String]>([])
  let progress = Mutex<[String?]>([])
}
