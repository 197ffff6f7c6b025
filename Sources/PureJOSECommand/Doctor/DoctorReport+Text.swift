extension DoctorReport {
  /// The report for a terminal of a hundred columns: a paragraph for each cause, the worst last, then what was not run,
  /// and the sums.
  ///
  /// - Parameters:
  ///   - showingEverything: whether each check has a line, also what is right and what was not run.
  ///   - hasColors: whether verdicts are colored.
  func text(showingEverything: Bool, hasColors: Bool = false) -> String {
    var lines: [String] = []
    if showingEverything {
      for verdict in [DoctorFinding.Verdict.skipped, .right] {
        for finding in findings where finding.verdict == verdict {
          lines += Self.wrapped("\(finding.name): \(finding.observed)", verdict, hasColors)
        }
      }
      lines.append("")
    }
    for group in groups { lines += Self.paragraph(group, showingEverything: showingEverything, hasColors) }
    if !showingEverything, !notRun.isEmpty {
      let counts = notRun.map { "\($0.part) \($0.count) (\($0.reason))" }.joined(separator: ", ")
      lines += Self.wrapped("not run: \(counts)", .skipped, hasColors)
    }
    lines.append(summary)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func paragraph(_ group: Group, showingEverything: Bool, _ hasColors: Bool) -> [String] {
    let count = group.findings.count
    let checks = count == 1 ? "" : ", \(count) checks"
    var lines = wrapped(
      "\(group.first.cause) (\(group.parts.joined(separator: ", "))\(checks))", group.verdict, hasColors)
    let limit = showingEverything ? Int.max : 4
    // One check names its subject already.
    if group.subjects != [group.first.cause] {
      lines += wrapped("looked at: \(list(group.subjects, upTo: limit))")
    }
    lines += wrapped("came: \(list(group.observations, upTo: limit))")
    lines += wrapped("wanted: \(group.first.rule) [\(group.first.source)]")
    if let advice = group.first.advice { lines += wrapped("to do: \(advice)") }
    return lines
  }

  private static func list(_ texts: [String], upTo limit: Int) -> String {
    let shown = texts.prefix(limit).joined(separator: "; ")
    return texts.count > limit ? shown + "; and \(texts.count - limit) more" : shown
  }

  /// Lines of at most a hundred columns, the verdict before the first of them.
  private static func wrapped(
    _ text: String, _ verdict: DoctorFinding.Verdict? = nil, _ hasColors: Bool = false
  ) -> [String] {
    let margin = String(repeating: " ", count: 9)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > 100 - margin.count {
        lines.append(margin + line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    lines.append(margin + line)
    guard let verdict else { return lines }
    let label = verdict.rawValue
    let shown = hasColors ? color(of: verdict) + label + "\u{1b}[0m" : label
    lines[0] = shown + lines[0].dropFirst(label.count)
    return lines
  }

  private static func color(of verdict: DoctorFinding.Verdict) -> String {
    switch verdict {
    case .wrong: "\u{1b}[31m"
    case .lenient: "\u{1b}[33m"
    case .right: "\u{1b}[32m"
    case .skipped: "\u{1b}[2m"
    }
  }
}
