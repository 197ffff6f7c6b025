import JOSE

/// The report in the forms of other programs.
extension DoctorReport {
  // MARK: HTML

  /// A page that needs nothing else, to be forwarded.
  var html: [UInt8] {
    let rows = groups.reversed().map { group in
      let first = group.first
      let advice = first.advice.map { "<p>To do: \(Self.escaped($0)).</p>" } ?? ""
      return """
        <section class="\(group.verdict.rawValue)">
        <h2>\(Self.escaped(first.cause)) <small>\(group.verdict.rawValue), \
        \(Self.escaped(group.parts.joined(separator: ", ")))</small></h2>
        <p>Came: \(Self.escaped(group.observations.joined(separator: "; "))).</p>
        <p>Wanted: \(Self.escaped(first.rule)) (\(Self.escaped(first.source))).</p>\(advice)
        <details><summary>\(group.findings.count) of the checks</summary><ul>\
        \(group.findings.map { "<li>\(Self.escaped($0.name)): \(Self.escaped($0.observed))" }.joined())</ul></details>
        </section>
        """
    }
    let others = [DoctorFinding.Verdict.skipped, .right].map { verdict in
      let names = findings.filter { $0.verdict == verdict }.map { finding in
        "<li>\(Self.escaped(finding.name)): \(Self.escaped(finding.observed))"
      }
      let title = verdict == .right ? "right" : "not run"
      return "<details><summary>\(names.count) \(title)</summary><ul>\(names.joined())</ul></details>"
    }
    let page = """
      <!doctype html>
      <html lang="en"><meta charset="utf-8"><title>Platform SSO: a server examined</title>
      <style>body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}
      section{border-left:.4rem solid #b80;padding:0 1rem;margin:1.5rem 0}.wrong{border-color:#b00}
      h2{font-size:1.1rem;margin:0}small{font-weight:normal}p{margin:.3rem 0}</style>
      <h1>A server of Platform SSO, examined</h1>
      <p>\(Self.escaped(summary)).</p>
      \(rows.joined(separator: "\n"))
      \(others.joined(separator: "\n"))
      </html>

      """
    return Array(page.utf8)
  }

  // MARK: JUnit

  /// What build servers read: a suite for each part of the day. What is lenient is a failure too.
  var junit: [UInt8] {
    let suites = findings.map(\.part).firstOfEach.map { part in
      let cases = findings.filter { $0.part == part }
      let lines = cases.map { finding in
        let head = "    <testcase classname=\"\(Self.escaped(part))\" name=\"\(Self.escaped(finding.name))\""
        switch finding.verdict {
        case .right: return head + "/>"
        case .skipped: return head + "><skipped message=\"\(Self.escaped(finding.observed))\"/></testcase>"
        case .lenient, .wrong:
          let text = "came: \(finding.observed); wanted: \(finding.rule) [\(finding.source)]"
          return head + "><failure type=\"\(finding.verdict.rawValue)\" message=\"\(Self.escaped(text))\"/></testcase>"
        }
      }
      let failures = cases.count { $0.verdict == .wrong || $0.verdict == .lenient }
      let skipped = cases.count { $0.verdict == .skipped }
      return "  <testsuite name=\"\(Self.escaped(part))\" tests=\"\(cases.count)\" failures=\"\(failures)\" "
        + "skipped=\"\(skipped)\">\n\(lines.joined(separator: "\n"))\n  </testsuite>"
    }
    let text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\(suites.joined(separator: "\n"))\n</testsuites>\n"
    return Array(text.utf8)
  }

  // MARK: SARIF

  /// What code scanning reads: a result for each check that is not right, a rule for each cause.
  ///
  /// Source: SARIF 2.1.0.
  var sarif: [UInt8] {
    let rules = groups.map { group in
      JSONValue.object([
        "id": .string(group.first.cause), "shortDescription": ["text": .string(group.first.rule)],
        "help": ["text": .string(group.first.source)],
      ])
    }
    let results = groups.flatMap(\.findings).map { finding in
      JSONValue.object([
        "ruleId": .string(finding.cause), "level": finding.verdict == .wrong ? "error" : "warning",
        "message": ["text": .string("\(finding.name): came \(finding.observed); wanted: \(finding.rule)")],
        "locations": [["logicalLocations": [["fullyQualifiedName": .string(finding.part)]]]],
      ])
    }
    let log: JSONObject = [
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
      "runs": [
        [
          "tool": ["driver": ["name": "jose psso doctor", "rules": .array(rules)]], "results": .array(results),
        ]
      ],
    ]
    return Visible.lines(log)
  }

  /// Text for a page or an attribute of XML. Findings hold nothing that can't be shown.
  private static func escaped(_ text: String) -> String {
    let names = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"] as [Character: String]
    return text.map { names[$0] ?? String($0) }.joined()
  }
}
