import Foundation

/// A run of measurements as it is kept in a file, to compare later runs with.
package struct Report: Codable {
  /// One operation; durations in nanoseconds.
  package struct Entry: Codable, Hashable, Sendable {
    package let operation: String
    package let median: Double
    package let minimum: Double
    package let lowerQuartile: Double
    package let upperQuartile: Double
    package let byteCount: Int?

    enum CodingKeys: String, CodingKey {
      case operation = "op"
      case median = "median_ns"
      case minimum = "min_ns"
      case lowerQuartile = "q1_ns"
      case upperQuartile = "q3_ns"
      case byteCount = "bytes"
    }

    package init(_ timing: Timing) {
      self.operation = timing.name
      self.median = timing.statistics.median
      self.minimum = timing.statistics.minimum
      self.lowerQuartile = timing.statistics.lowerQuartile
      self.upperQuartile = timing.statistics.upperQuartile
      self.byteCount = timing.byteCount
    }
  }

  package let date: Date
  package let configuration: String
  package let backend: String
  package let machine: Machine
  package let results: [Entry]

  package init(date: Date, configuration: String, backend: String, machine: Machine, timings: [Timing]) {
    self.date = date
    self.configuration = configuration
    self.backend = backend
    self.machine = machine
    self.results = timings.map(Entry.init)
  }

  package init(contentsOf path: String) throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    self = try decoder.decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  package func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(fileURLWithPath: path))
  }

  /// Whether both were made by the same build on the same machine, so that their ratios mean something.
  package func isComparable(with other: Report) -> Bool {
    configuration == other.configuration && backend == other.backend && machine == other.machine
  }

  /// How many times faster `timing` is than the same operation here, or nil if it isn't here: old ÷ new.
  package func speedUp(to timing: Timing) -> Double? {
    results.first { $0.operation == timing.name }.map { $0.median / timing.statistics.median }
  }
}
