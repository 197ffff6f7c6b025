import CoreMetrics
import Synchronization

/// The metrics of a running server, as text that Prometheus reads.
///
/// Source: the Prometheus text exposition format 0.0.4.
package final class TextMetrics: MetricsFactory {
  /// A series, as the program names it.
  private struct Line {
    let label: String
    let dimensions: [(name: String, value: String)]
    let series: Series

    /// The labels as Prometheus writes them, for a bucket with its upper bound.
    func names(upTo bound: String? = nil) -> String {
      var names = dimensions.map { "\(TextMetrics.name($0.name))=\"\(TextMetrics.escaped($0.value))\"" }
      if let bound { names.append("le=\"\(bound)\"") }
      return names.isEmpty ? "" : "{\(names.joined(separator: ","))}"
    }
  }

  /// By label, names and values, since every request looks some up.
  private let lines = Mutex<[[String]: Line]>([:])

  /// Dimensions that every series gets.
  private let common: [(name: String, value: String)]

  /// - Parameter node: the name of this process, if there are several; otherwise nil.
  package init(node: String? = nil) { common = node.map { [(name: "node", value: $0)] } ?? [] }

  /// A number that is measured when it is asked for.
  typealias Gauge = (name: String, value: Double)

  /// All series, each with a line for every number.
  func text(with gauges: [Gauge] = []) -> String {
    let names = common.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
    var text = gauges.flatMap { gauge in
      ["# TYPE \(gauge.name) gauge", "\(gauge.name)\(names.isEmpty ? "" : "{\(names)}") \(Int(gauge.value))"]
    }
    var last = ""
    let lines = lines.withLock { Array($0.values) }
      .map {
        (label: Self.name($0.label) + ($0.series.kind == .histogram ? "_seconds" : ""), names: $0.names(), line: $0)
      }
    for (label, names, line) in lines.sorted(by: { ($0.label, $0.names) < ($1.label, $1.names) }) {
      let (values, kind) = (line.series.values, line.series.kind)
      if label != last { text.append("# TYPE \(label) \(kind.rawValue)") }
      last = label
      guard kind == .summary || kind == .histogram else {
        text.append("\(label)\(names) \(values.sum)")
        continue
      }
      if kind == .histogram {
        for (bound, count) in zip(Series.bounds.map { "\($0)" } + ["+Inf"], values.buckets + [values.count]) {
          text.append("\(label)_bucket\(line.names(upTo: bound)) \(count)")
        }
      }
      text += ["\(label)_sum\(names) \(values.sum)", "\(label)_count\(names) \(values.count)"]
    }
    return text.joined(separator: "\n") + "\n"
  }

  /// One series, as the program names it.
  typealias Entry = (dimensions: [String: String], sum: Double, count: Int)

  /// The series of a name.
  func entries(_ label: String) -> [Entry] {
    lines.withLock { $0.values.filter { $0.label == label } }.map { line in
      let values = line.series.values
      let dimensions = Dictionary(line.dimensions.map { ($0.name, $0.value) }) { first, _ in first }
      return (dimensions: dimensions, sum: values.sum, count: values.count)
    }
  }

  private func find(_ label: String, _ dimensions: [(String, String)], _ kind: Series.Kind) -> Series {
    let key = [label] + dimensions.flatMap { [$0.0, $0.1] }
    return lines.withLock { lines in
      if let known = lines[key] { return known.series }
      let series = Series(kind)
      lines[key] = Line(label: label, dimensions: dimensions.map { (name: $0.0, value: $0.1) } + common, series: series)
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
    find(label, dimensions, .histogram)
  }

  // There are few series, so none is removed.
  package func destroyCounter(_ handler: any CounterHandler) {}
  package func destroyRecorder(_ handler: any RecorderHandler) {}
  package func destroyMeter(_ handler: any MeterHandler) {}
  package func destroyTimer(_ handler: any TimerHandler) {}

  /// One series of numbers.
  private final class Series: CounterHandler, RecorderHandler, MeterHandler, TimerHandler {
    enum Kind: String {
      case counter, gauge, summary, histogram
    }

    /// A bucket counts all values up to its bound.
    typealias Values = (sum: Double, count: Int, buckets: [Int])

    /// In seconds: from an answer out of memory to a password that had to wait for its turn.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    let kind: Kind
    private let state = Mutex<Values>((0, 0, Series.bounds.map { _ in 0 }))

    init(_ kind: Kind) { self.kind = kind }

    var values: Values { state.withLock { $0 } }

    private func add(_ value: Double) {
      state.withLock { state in
        (state.sum, state.count) = (state.sum + value, state.count &+ 1)
        for (place, bound) in Self.bounds.enumerated() where value <= bound { state.buckets[place] &+= 1 }
      }
    }

    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func reset() { state.withLock { $0 = (0, 0, Self.bounds.map { _ in 0 }) } }
    func record(_ value: Int64) { kind == .gauge ? set(Double(value)) : add(Double(value)) }
    func record(_ value: Double) { kind == .gauge ? set(value) : add(value) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { ($0.sum, $0.count) = (value, $0.count &+ 1) } }
    func recordNanoseconds(_ duration: Int64) { add(Double(duration) / 1e9) }
  }
}
