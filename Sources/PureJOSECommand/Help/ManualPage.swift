/// The manual page, made of the help texts: `jose help --man | man -l -`.
enum ManualPage {
  static func text(program: ProgramName) -> String {
    let overview = HelpLayout.text(Usage.overview, program: program).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
    var lines = [
      ".TH \(program.text.uppercased()) 1 \"\" \"PureJOSE \(Version.text)\" \"User Commands\"", ".SH NAME",
      "\(escaped(program.text)) \\- sign, verify, encrypt and decrypt JOSE messages", ".SH SYNOPSIS", ".nf", ".in 0",
    ]
    lines += overview.filter { $0.hasPrefix("  ") }.map { escaped(String($0.dropFirst(2))) }
    lines += [".fi", ".SH DESCRIPTION"]
    lines += overview.drop { !$0.hasPrefix("Messages") }.filter { !$0.isEmpty }.map(escaped)
    lines.append(".SH VERBS")
    for verb in Verb.allCases {
      // A section's text begins seven columns in; help has all eighty.
      lines += [".SS \(verb.rawValue)", ".nf", ".in 0"]
      let help = HelpLayout.text(Usage.text(for: verb.rawValue) ?? "", program: program)
      lines += help.split(separator: "\n").map { escaped(String($0)) }
      lines.append(".fi")
    }
    lines += [
      ".SH EXIT STATUS", ".TP", ".B 0", "Done.", ".TP", ".B 1", "The input is not authentic or not valid.", ".TP",
      ".B 2",
      "Wrong usage.",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Text that roff takes as it is: no line begins a request, hyphens are those that can be copied, and all of it is
  /// ASCII.
  private static func escaped(_ line: String) -> String {
    let text = line.unicodeScalars.map { scalar in
      switch scalar {
      case "\\": "\\e"
      case "-": "\\-"
      case _ where scalar.isASCII: String(scalar)
      default: "\\[u" + fourDigits(scalar) + "]"
      }
    }.joined()
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }

  private static func fourDigits(_ scalar: UnicodeScalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

/// The command's version, which is the package's: README's install line names the same.
enum Version {
  static let text = "0.1.0"
}
