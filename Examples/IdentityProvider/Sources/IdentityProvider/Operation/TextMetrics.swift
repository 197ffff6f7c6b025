import CoreMetrics
import Synchronization

/// Numbers of a running server, as text that Prometheus reads.
///
/// Source: the Prometheus text exposition format 0.0.4.
package final class TextMetrics: MetricsFactory {
  private struct Key: Hashable {
    let label: String
    let dimensions: [String]
  }

  private let series = Mutex<[Key: Series]>([:])

  package init() {}

  /// All series, each with a line for every number.
  package func text() -> String {
    let sorted = series.withLock { Array($0) }.sorted {
      ($0.key.label, $0.key.dimensions.joined()) < ($1.key.label, $1.key.dimensions.joined())
    }
    var lines: [String] = []
    var last = ""
    for (key, series) in sorted {
      let dimensions = key.dimensions.isEmpty ? "" : "{\(key.dimensions.joined(separator: ","))}"
      if key.label != last { lines.append("# TYPE \(key.label) \(series.kind.rawValue)") }
      last = key.label
      let values = series.values
      switch series.kind {
      case .counter, .gauge: lines.append("\(key.label)\(dimensions) \(values.sum)")
      case .summary:
        lines.append("\(key.label)_sum\(dimensions) \(values.sum)")
        lines.append("\(key.label)_count\(dimensions) \(values.count)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func find(_ label: String, _ dimensions: [(String, String)], _ kind: Series.Kind) -> Series {
    let key = Key(
      label: Self.name(label), dimensions: dimensions.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" })
    return series.withLock { series in
      if let known = series[key] { return known }
      let new = Series(kind)
      series[key] = new
      return new
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
    find(label + "_seconds", dimensions, .summary)
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
