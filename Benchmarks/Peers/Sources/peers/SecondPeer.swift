import PureJOSEBenchmarking

/// One of our operations beside the same one of a library that is measured in a process of its own, right after.
struct SecondPeer {
  let name: String
  let peer: String
  /// Nanoseconds: medians, or the fastest rounds.
  let ours, theirs: Double

  static func table(_ rows: [SecondPeer]) -> String {
    var table = Table(["operation", "ours", "peer", "library", "ratio"])
    for row in rows {
      table.append([
        row.name, NumberText.duration(nanoseconds: row.ours), NumberText.duration(nanoseconds: row.theirs), row.peer,
        NumberText.ratio(row.theirs / row.ours),
      ])
    }
    return table.text
  }

  /// One line, as those of the first peers.
  func json() throws -> String {
    try OutcomeLine(op: name, ours_ns: ours, peer: peer, peer_ns: theirs, ratio: theirs / ours).json()
  }
}
