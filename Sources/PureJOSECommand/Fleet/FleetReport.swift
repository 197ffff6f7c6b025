import JOSE

/// What a fleet has met: how often, how long it took, what was lost, and what contradicted what.
struct FleetReport: Sendable {
  /// Requests of one kind.
  struct Kind: Sendable {
    var milliseconds: [Double] = []
    /// How many answers the Macs threw away, as if they had been lost, and asked again.
    var lostAnswers = 0
    /// How many came again after a fault of the server, and were answered then.
    var retries = 0
  }

  private(set) var kinds: [String: Kind] = [:]
  /// What was refused that was right, or never answered, by its text, with how often.
  private(set) var losses: [String: Int] = [:]
  /// What contradicted an answer of before.
  private(set) var contradictions: [String: Int] = [:]

  mutating func note(_ kind: String, took: Duration) {
    kinds[kind, default: Kind()].milliseconds.append(took.inSeconds * 1000)
  }

  mutating func noteLostAnswer(_ act: FleetAct) { kinds[act.rawValue, default: Kind()].lostAnswers += 1 }
  mutating func noteRetry(_ act: FleetAct) { kinds[act.rawValue, default: Kind()].retries += 1 }
  mutating func noteLoss(_ text: String) { losses[text, default: 0] += 1 }
  mutating func noteContradiction(_ text: String) { contradictions[text, default: 0] += 1 }

  mutating func add(_ other: FleetReport) {
    for (name, kind) in other.kinds {
      kinds[name, default: Kind()].milliseconds += kind.milliseconds
      kinds[name, default: Kind()].lostAnswers += kind.lostAnswers
      kinds[name, default: Kind()].retries += kind.retries
    }
    losses.merge(other.losses, uniquingKeysWith: +)
    contradictions.merge(other.contradictions, uniquingKeysWith: +)
  }

  var lossCount: Int { losses.values.reduce(0, +) }
  var contradictionCount: Int { contradictions.values.reduce(0, +) }
  var requestCount: Int { kinds.values.reduce(0) { $0 + $1.milliseconds.count } }

  /// The share of the values that are not above the result.
  static func percentile(_ share: Double, of values: [Double]) -> Double {
    guard !values.isEmpty else { return 0 }
    let sorted = values.sorted()
    return sorted[min(sorted.count - 1, max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1))]
  }

  /// In the order of a Mac's day.
  private var rows: [(name: String, kind: Kind)] {
    (["nonce"] + FleetAct.allCases.map(\.rawValue)).compactMap { name in kinds[name].map { (name, $0) } }
  }

  func text(macs: Int, seconds: Double) -> String {
    func cell(_ value: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - value.count)) + value
    }
    func time(_ share: Double, _ kind: Kind) -> String {
      String(Double(Int(Self.percentile(share, of: kind.milliseconds) * 10)) / 10)
    }
    var lines = [
      "                requests   p50 ms   p95 ms   p99 ms  answers lost  retried"
    ]
    for (name, kind) in rows {
      let padded = name + String(repeating: " ", count: max(0, 14 - name.count))
      lines.append(
        padded + cell("\(kind.milliseconds.count)", 10) + cell(time(0.5, kind), 9) + cell(time(0.95, kind), 9)
          + cell(time(0.99, kind), 9) + cell("\(kind.lostAnswers)", 14) + cell("\(kind.retries)", 9))
    }
    for (text, count) in losses.sorted(by: { $0.key < $1.key }) { lines.append("lost: \(text), \(count) times") }
    for (text, count) in contradictions.sorted(by: { $0.key < $1.key }) {
      lines.append("contradictory: \(text), \(count) times")
    }
    let rate = seconds > 0 ? Int(Double(requestCount) / seconds) : 0
    lines.append(
      "\(macs) Macs, \(requestCount) requests in \(Int(seconds.rounded())) s, \(rate) a second: "
        + "\(lossCount) lost, \(contradictionCount) contradictory")
    return lines.map { Visible.text($0, length: 200) }.joined(separator: "\n") + "\n"
  }

  func jsonObject(macs: Int, seconds: Double) -> JSONObject {
    func number(_ value: Double) -> JSONValue { .number(JSONNumber(Int(value * 1000))) }
    func counts(_ values: [String: Int]) -> JSONValue {
      var object: JSONObject = [:]
      for (text, count) in values.sorted(by: { $0.key < $1.key }) { object[text] = .number(JSONNumber(count)) }
      return .object(object)
    }
    var kinds: JSONObject = [:]
    for (name, kind) in rows {
      kinds[name] = [
        "requests": .number(JSONNumber(kind.milliseconds.count)),
        "p50_us": number(Self.percentile(0.5, of: kind.milliseconds)),
        "p95_us": number(Self.percentile(0.95, of: kind.milliseconds)),
        "p99_us": number(Self.percentile(0.99, of: kind.milliseconds)),
        "answers_lost": .number(JSONNumber(kind.lostAnswers)), "retries": .number(JSONNumber(kind.retries)),
      ]
    }
    return [
      "macs": .number(JSONNumber(macs)), "milliseconds": number(seconds), "kinds": .object(kinds),
      "losses": counts(losses), "contradictions": counts(contradictions),
    ]
  }
}
