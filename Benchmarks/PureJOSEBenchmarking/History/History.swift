import Foundation

/// Any number of runs, in order: what changed from each to the next, operation by operation.
///
/// Runs of other machines, compilers or builds say nothing of each other, and are kept apart; so are backends that were
/// asked for. A new backend that is now the fastest goes on with the line of the one before.
package struct History {
  /// The runs of one machine under one condition, oldest first.
  package struct Series {
    package let machine: Machine
    package let configuration: String
    /// The newest run's.
    package let backend: String
    package let runs: [Report]
    /// In the order of the newest run, then those that only earlier ones had.
    package let operations: [OperationTrend]
  }

  /// Machine by machine, the one with the newest run first.
  package let series: [Series]

  /// - Parameter reports: in any order; of two with the same date and conditions the first counts.
  package init(_ reports: [Report]) {
    var groups: [[Report]] = []
    for report in reports {
      if let index = groups.firstIndex(where: { $0[0].isContinued(by: report) }) {
        if !groups[index].contains(where: { $0.date == report.date }) { groups[index].append(report) }
      } else {
        groups.append([report])
      }
    }
    for index in groups.indices { groups[index].sort { $0.date < $1.date } }
    groups.sort { ($0.last?.date ?? .distantPast) > ($1.last?.date ?? .distantPast) }
    series = groups.map(Series.init)
  }
}

extension History.Series {
  fileprivate init(_ runs: [Report]) {
    machine = runs[0].machine
    configuration = runs[0].configuration
    backend = runs[runs.count - 1].backend
    self.runs = runs
    var names: [String] = []
    var known: Set<String> = []
    for run in runs.reversed() {
      for entry in run.results where known.insert(entry.operation).inserted { names.append(entry.operation) }
    }
    operations = names.map { OperationTrend($0, in: runs) }
  }
}
