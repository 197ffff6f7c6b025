import Foundation
import PureJOSEBenchmarking

/// What an operation must reach and aims at, a line of `floors.tsv`.
struct Target {
  enum Unit: String {
    /// Peer's time ÷ our time.
    case ratio
    /// 10⁹ bytes a second, ours.
    case gigabytesPerSecond = "GB/s"
  }

  let unit: Unit
  let floor: Double
  let aim: Double

  /// All lines of the file beside this package's manifest, by operation.
  static func read() throws(UsageError) -> [String: Target] {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = package.appendingPathComponent("floors.tsv")
    guard let text = try? String(contentsOf: file, encoding: .utf8) else {
      throw UsageError("'\(file.path)' can't be read")
    }
    return try targets(text)
  }

  private static func targets(_ text: String) throws(UsageError) -> [String: Target] {
    var targets: [String: Target] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") && !line.hasPrefix("operation\t") {
      let cells = line.split(separator: "\t").map(String.init)
      guard cells.count == 4, let unit = Unit(rawValue: cells[1]), let floor = Double(cells[2]),
        let aim = Double(cells[3]), targets[cells[0]] == nil
      else { throw UsageError("'\(line)' is no line of floors") }
      targets[cells[0]] = Target(unit: unit, floor: floor, aim: aim)
    }
    return targets
  }
}
