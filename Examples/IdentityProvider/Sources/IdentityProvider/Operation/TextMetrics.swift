import CoreMetrics
import Synchronization

/// Numbers of a running server, as text that Prometheus reads.
///
/// Source: the Prometheus text exposition format 0.0.4.
package final class TextMetrics: MetricsFactory {
  /// As the program names a series: every request asks for some.
  private struct Key: Hashable {
    let label: String
    let dimensions: [Dimension]
  }

  private struct Dimension: Hashable {
    let name: String
    let value: String
  }

  /// A series with its names as Prometheus writes them.
  private struct Line {
    let label: String
    let dimensions: String
    let series: Series
  }

  private let lines = Mutex<[Key: Line]>([:])

  package init() {}

  /// All series, each with a line for every number.
  package func text() -> String {
    var text: [String] = []
    var last = ""
    for line in sorted() {
      let (label, dimensions, values) = (line.label, line.dimensions, line.series.values)
      if label != last { text.append("# TYPE \(label) \(line.series.kind.rawValue)") }
      last = label
      switch line.series.kind {
      case .counter, .gauge: text.append("\(label)\(dimensions) \(values.sum)")
      case .summary:
        text.append("\(label)_sum\(dimensions) \(values.sum)")
        text.append("\(label)_count\(dimensions) \(values.count)")
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
    lines.withLock { lines in
      lines.filter { $0.key.label == label }.map { key, line in
        let values = line.series.values
        return Entry(
          dimensions: Dictionary(key.dimensions.map { ($0.name, $0.value) }) { first, _ in first }, sum: values.sum,
          count: values.count)
      }
    }
  }

  private func sorted() -> [Line] {
    lines.withLock { Array($0.values) }.sorted { ($0.label, $0.dimensions) < ($1.label, $1.dimensions) }
  }

  private func find(_ label: String, suffix: String = "", _ dimensions: [(String, String)], _ kind: Series.Kind)
    -> Series
  {
    let key = Key(label: label, dimensions: dimensions.map { Dimension(name: $0.0, value: $0.1) })
    return lines.withLock { lines in
      if let known = lines[key] { return known.series }
      let names = dimensions.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }
      let series = Series(kind)
      lines[key] = Line(
        label: Self.name(label) + suffix, dimensions: names.isEmpty ? "" : "{\(names.joined(separator: ","))}",
        series: series)
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
    find(label, suffix: "_seconds", dimensions, .summary)
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
    private let state = Mutex((sum: 0.0, count: 0))

    init(_ kind: Kind) { self.kind = kind }

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
