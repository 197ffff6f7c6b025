/// The outcomes to read.
enum OutcomeTable {
  static func text(_ outcomes: [Outcome], showsTargets: Bool) -> String {
    let heading = ["operation", "ours", "peer", "library", "ratio", "spread"]
    var table = Table(heading + (showsTargets ? ["floor", "aim", "reached"] : []))
    for outcome in outcomes {
      var cells = [
        outcome.name, NumberText.duration(nanoseconds: outcome.ours.statistics.median),
        NumberText.duration(nanoseconds: outcome.theirs.statistics.median), outcome.peer,
        NumberText.ratio(outcome.ratio), NumberText.spread(outcome.ratioSpread),
      ]
      if showsTargets { cells += targetCells(outcome) }
      table.append(cells)
    }
    return table.text
  }

  private static func targetCells(_ outcome: Outcome) -> [String] {
    guard let target = outcome.target else { return ["", "", ""] }
    let reached = outcome.ratio >= target.aim ? "aim" : outcome.ratio >= target.floor ? "floor" : "no"
    return [NumberText.ratio(target.floor), NumberText.ratio(target.aim), reached]
  }
}
