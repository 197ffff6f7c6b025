import Foundation

/// A run of measurements as it is kept in a file, to compare later runs with.
public struct Report: Codable {
  /// One operation; durations in nanoseconds.
  public struct Entry: Codable, Hashable, Sendable {
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
  /// The commit that was measured, with a plus sign if files had been changed; nil where nobody knows.
  package let commit: String?
  package let configuration: String
  package let backend: String
  /// Whether the machine had no faster backend; nil in files of earlier versions.
  package let isFastestBackend: Bool?
  package let machine: Machine
  package let results: [Entry]

  /// A run that was made at a date, by a build of some configuration.
  public init(
    date: Date, commit: String? = Revision.current(), configuration: String, backend: String,
    isFastestBackend: Bool? = nil, machine: Machine, timings: [Timing]
  ) {
    self.date = date
    self.commit = commit
    self.configuration = configuration
    self.backend = backend
    self.isFastestBackend = isFastestBackend
    self.machine = machine
    self.results = timings.map(Entry.init)
  }

  package init(contentsOf path: String) throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    self = try decoder.decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Writes the run to a file, as JSON.
  ///
  /// - Throws: what writing throws.
  public func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(fileURLWithPath: path))
  }

  /// Day, commit and backend, to tell runs apart.
  package var label: String {
    let day = date.formatted(.iso8601.year().month().day())
    return [day, commit, backend].compactMap(\.self).joined(separator: " ")
  }

  /// Whether both belong on one line: the same build on the same machine, each with the fastest backend of its time, or
  /// both with one that was asked for.
  package func isContinued(by other: Report) -> Bool {
    func chosenBackend(_ report: Report) -> String? {
      report.isFastestBackend ?? (report.backend != "portable") ? nil : report.backend
    }
    return configuration == other.configuration && machine == other.machine
      && chosenBackend(self) == chosenBackend(other)
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
