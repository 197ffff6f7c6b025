import Foundation
import PureJOSEBenchmarking

/// Asks `openssl.py`, which measures OpenSSL through Python's cryptography.
enum OpenSSLDriver {
  private struct Line: Decodable {
    let op: String
    let peer: String
    let peer_ns: Double
  }

  /// The rows that both sides have.
  static func measure(beside outcomes: [Outcome]) throws -> [SecondPeer] {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("openssl.py")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", script.path] + outcomes.map(\.name)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw UsageError("python3 with the package cryptography is needed") }
    let lines = try text.split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(Line.self, from: Data($0))
    }
    return outcomes.compactMap { outcome in
      lines.first { $0.op == outcome.name }.map {
        SecondPeer(
          name: outcome.name, peer: $0.peer, ours: outcome.ours.statistics.median, theirs: $0.peer_ns)
      }
    }
  }
}
