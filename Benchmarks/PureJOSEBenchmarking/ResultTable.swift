/// The results to read, as `bench` shows them.
public enum ResultTable {
  /// A line for each operation; with an earlier run, how many times faster it is now.
  public static func text(_ timings: [Timing], earlier: Report?) -> String {
    let heading = ["operation", "median", "spread", "minimum", "operations/s", "MB/s"]
    var table = Table(heading + (earlier == nil ? [] : ["old ÷ new"]))
    for timing in timings {
      let statistics = timing.statistics
      var cells = [
        timing.name, NumberText.duration(nanoseconds: statistics.median), NumberText.spread(statistics.spread),
        NumberText.duration(nanoseconds: statistics.minimum), NumberText.count(timing.operationsPerSecond),
        timing.megabytesPerSecond.map(NumberText.significant) ?? "",
      ]
      if let earlier { cells.append(earlier.speedUp(to: timing).map(NumberText.ratio) ?? "new") }
      table.append(cells)
    }
    return table.text
  }
}
