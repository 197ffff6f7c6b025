/// The records with one index value: the oldest first, and of one date the one inserted first.
///
/// They stand in runs of a bounded length, so that an insertion or a removal moves few of them. Invariant: entries
/// ascend within a run and from one run to the next, no run is empty or longer than the limit, and two neighbours hold
/// more than half of it together, so that the runs take no more than a few times what they hold.
struct RecordOrder: Sendable {
  struct Entry: Sendable {
    let createdAt: NumericDate
    /// The record's place in the order of insertion.
    let number: UInt64
    let key: [UInt8]

    func isBefore(_ other: Entry) -> Bool { (createdAt, number) < (other.createdAt, other.number) }
  }

  private static let runLimit = 128

  private(set) var runs: [[Entry]] = []
  private(set) var count = 0

  /// All entries.
  var entries: FlattenSequence<[[Entry]]> { runs.joined() }

  /// Puts an entry, which is not there yet, in its place.
  mutating func insert(_ entry: Entry) {
    count += 1
    guard !runs.isEmpty else {
      runs = [[entry]]
      return
    }
    var run = runNumber(for: entry)
    if runs[run].count == Self.runLimit {
      // Dates grow as a rule: then a new run begins, and the full one stays full.
      let isLast = run == runs.count - 1 && runs[run][Self.runLimit - 1].isBefore(entry)
      let cut = isLast ? Self.runLimit : Self.runLimit / 2
      runs.insert(Array(runs[run][cut...]), at: run + 1)
      runs[run].removeLast(Self.runLimit - cut)
      if runs[run + 1].first.map({ $0.isBefore(entry) }) ?? true { run += 1 }
    }
    let place = runs[run].place { entry.isBefore($0) }
    runs[run].insert(entry, at: place)
  }

  /// Removes an entry, if it is there.
  mutating func remove(_ entry: Entry) {
    guard !runs.isEmpty else { return }
    let run = runNumber(for: entry)
    let place = runs[run].place { !$0.isBefore(entry) }
    guard place < runs[run].count, runs[run][place].number == entry.number else { return }
    runs[run].remove(at: place)
    count -= 1
    guard !runs[run].isEmpty else {
      runs.remove(at: run)
      return
    }
    for first in [run, run - 1] where first >= 0 && first + 1 < runs.count {
      let joined = runs[first].count + runs[first + 1].count
      guard joined <= Self.runLimit / 2 else { continue }
      runs[first] = runs[first] + runs[first + 1]
      runs.remove(at: first + 1)
    }
  }

  /// The number of the run in which an entry stands, or has to.
  private func runNumber(for entry: Entry) -> Int { max(0, runs.place { entry.isBefore($0[0]) } - 1) }
}

extension Array {
  /// The place of the first element that is far enough: all after it are as well.
  fileprivate func place(where isFarEnough: (Element) -> Bool) -> Int {
    var range = indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = isFarEnough(self[middle]) ? range.lowerBound..<middle : middle + 1..<range.upperBound
    }
    return range.lowerBound
  }
}
