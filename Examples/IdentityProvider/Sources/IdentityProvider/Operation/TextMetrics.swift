import CoreMetrics
import Synchronization

/// Numbers of a running server, as text that Prometheus reads.
///
/// Source: the Prometheus text exposition format 0.0.4.
package final class TextMetrics: MetricsFactory {
  /// A series, as the program names it.
  private struct Line {
    let label: String
    let dimensions: [(name: String, value: String)]
    let series: Series

    /// As Prometheus has them.
    var names: String {
      let names = dimensions.map { "\(TextMetrics.name($0.name))=\"\(TextMetrics.escaped($0.value))\"" }
      return names.isEmpty ? "" : "{\(names.joined(separator: ","))}"
    }
  }

  /// By label, names and values: every request asks for some.
  private let lines = Mutex<[[String]: Line]>([:])

  package init() {}

  /// All series, each with a line for every number.
  package func text() -> String {
    var text: [String] = []
    var last = ""
    let lines = lines.withLock { Array($0.values) }
      .map { (label: Self.name($0.label) + ($0.series.isTimer ? "_seconds" : ""), names: $0.names, series: $0.series) }
    for (label, names, series) in lines.sorted(by: { ($0.label, $0.names) < ($1.label, $1.names) }) {
      let values = series.values
      if label != last { text.append("# TYPE \(label) \(series.kind.rawValue)") }
      last = label
      switch series.kind {
      case .counter, .gauge: text.append("\(label)\(names) \(values.sum)")
      case .summary: text += ["\(label)_sum\(names) \(values.sum)", "\(label)_count\(names) \(values.count)"]
      }
    }
    return text.joined(separator: "\n") + "\n"
  }

  /// One series, as the program names it.
  struct Entry {
    let dimensions: [String: String]
    let sum: Double
    let count: Int
  }

  /// The series of a name.
  func entries(_ label: String) -> [Entry] {
    lines.withLock { $0.values.filter { $0.label == label } }.map { line in
      let values = line.series.values
      let dimensions = Dictionary(line.dimensions.map { ($0.name, $0.value) }) { first, _ in first }
      return Entry(dimensions: dimensions, sum: values.sum, count: values.count)
    }
  }

  private func find(
    _ label: String, _ dimensions: [(String, String)], _ kind: Series.Kind, isTimer: Bool = false
  ) -> Series {
    let key = [label] + dimensions.flatMap { [$0.0, $0.1] }
    return lines.withLock { lines in
      if let known = lines[key] { return known.series }
      let series = Series(kind, isTimer: isTimer)
      lines[key] = Line(label: label, dimensions: dimensions.map { (name: $0.0, value: $0.1) }, series: series)
      return series
    }
  }

  private static func name(_ text: String) -> String {
    String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: " ")
  }

  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    find(label, dimensions, .counter)
  }

  package func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    find(label, dimensions, aggregate ? .summary : .gauge)
  }

  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    find(label, dimensions, .gauge)
  }

  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    find(label, dimensions, .summary, isTimer: true)
  }

  // Series are few, and stay.
  package func destroyCounter(_ handler: any CounterHandler) {}
  package func destroyRecorder(_ handler: any RecorderHandler) {}
  package func destroyMeter(_ handler: any MeterHandler) {}
  package func destroyTimer(_ handler: any TimerHandler) {}

  /// One series of numbers.
  private final class Series: CounterHandler, RecorderHandler, MeterHandler, TimerHandler {
    enum Kind: String {
      case counter, gauge, summary
    }

    let kind: Kind
    let isTimer: Bool
    private let state = Mutex((sum: 0.0, count: 0))

    init(_ kind: Kind, isTimer: Bool) { (self.kind, self.isTimer) = (kind, isTimer) }

    var values: (sum: Double, count: Int) { state.withLock { $0 } }

    private func add(_ value: Double) {
      state.withLock { $0 = ($0.sum + value, $0.count &+ 1) }
    }

    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func reset() { state.withLock { $0 = (0, 0) } }
    func record(_ value: Int64) { kind == .gauge ? set(Double(value)) : add(Double(value)) }
    func record(_ value: Double) { kind == .gauge ? set(value) : add(value) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0 = (value, $0.count &+ 1) } }
    func recordNanoseconds(_ duration: Int64) { add(Double(duration) / 1e9) }
  }
}
