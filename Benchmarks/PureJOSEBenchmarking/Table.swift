/// Rows of text under a heading, for a terminal and for Markdown alike: the first column to the left, the others to the
/// right.
public struct Table {
  private let heading: [String]
  private var rows: [[String]] = []

  /// A table without rows.
  public init(_ heading: [String]) {
    self.heading = heading
  }

  /// - Parameter cells: as many as the heading has.
  public mutating func append(_ cells: [String]) {
    precondition(cells.count == heading.count)
    rows.append(cells)
  }

  /// The whole table, without a line break at its end.
  public var text: String {
    let widths = heading.indices.map { column in ([heading] + rows).map { $0[column].count }.max() ?? 0 }
    func line(_ cells: [String]) -> String {
      let padded = zip(cells, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + space : space + cell.0
      }
      return "| " + padded.joined(separator: " | ") + " |"
    }
    let rule = widths.enumerated().map { column, width in
      column == 0 ? String(repeating: "-", count: width + 2) : String(repeating: "-", count: width + 1) + ":"
    }
    let lines = [line(heading), "|" + rule.joined(separator: "|") + "|"] + rows.map(line)
    return lines.joined(separator: "\n")
  }
}
