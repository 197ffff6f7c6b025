/// The results to read.
package enum ResultTable {
  package static func text(_ timings: [Timing], earlier: Report?) -> String {
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
