import Foundation
import JOSE

/// Reads requests from standard input, a line each, works on several at once, and writes the answers to standard output
/// as they come. It ends with its input, so that it doesn't outlive the tests.
///
/// usage: store-worker CONNECTION SECONDS [alone]
@main struct StoreWorker {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3, let seconds = Int(arguments[2]) else {
      FileHandle.standardError.write(Data("usage: store-worker CONNECTION SECONDS [alone]\n".utf8))
      exit(2)
    }
    let worker = Worker(
      connection: arguments[1], clock: .fixed(at: NumericDate(seconds)), isAlone: arguments.dropFirst(3) == ["alone"])
    while let line = readLine() {
      let request: Request = try StrictJSONDecoder().decode(from: line.utf8)
      // This thread waits for the next line.
      Task.detached {
        // The test would wait for ever for an answer that can't be written.
        do { try await worker.serve(request) } catch { exit(1) }
      }
    }
  }
}
