import Foundation
import PureJOSEBenchmarking

/// Asks `openssl.py`, which measures OpenSSL through Python's cryptography.
enum OpenSSLDriver {
  private struct Line: Decodable {
    let op: String
    let peer: String
    let peer_ns: Double
    /// What OpenSSL says of CPUID's leaf 7, where the processor has one.
    let extensions: UInt64?
  }

  /// The rows that both sides have. OpenSSL inherits the environment, which holds it to the class of the options.
  static func measure(beside outcomes: [Outcome], _ options: Options, on machine: Machine) throws -> [SecondPeer] {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("openssl.py")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["python3", script.path] + (options.takesMinima ? ["--minima"] : []) + outcomes.map(\.name)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw UsageError("python3 with the package cryptography is needed") }
    let lines = try text.split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(Line.self, from: Data($0))
    }
    if let wanted = options.instructionClass {
      for line in lines { if let word = line.extensions { try wanted.check(word, of: line.peer, on: machine) } }
    }
    return outcomes.compactMap { outcome in
      lines.first { $0.op == outcome.name }.map {
        SecondPeer(
          name: outcome.name, peer: $0.peer, ours: outcome.ourTime, theirs: $0.peer_ns)
      }
    }
  }
}
