import Synchronization

@testable import JOSECommand

/// One run of the command with memory for its streams and files.
struct CommandRun {
  let status: ExitStatus
  let output: [UInt8]
  let errors: [String]

  var text: String { String(decoding: output, as: UTF8.self) }

  init(_ arguments: [String], input: [UInt8] = [], files: [String: [UInt8]] = [:]) {
    let output = Mutex<[UInt8]>([])
    let errors = Mutex<[String]>([])
    let console = Console(
      readInput: { input },
      readFile: { path throws(CommandFailure) in
        guard let file = files[path] else { throw .usage("no such file") }
        return file
      },
      write: { bytes in output.withLock { $0 += bytes } },
      writeError: { line in errors.withLock { $0.append(line) } })
    status = JOSECommand(console: console).run(arguments)
    self.output = output.withLock { $0 }
    self.errors = errors.withLock { $0 }
  }

  init(_ arguments: [String], input: String, files: [String: [UInt8]] = [:]) {
    self.init(arguments, input: Array(input.utf8), files: files)
  }
}
