import PureJOSEBenchmarking

/// What the command line asks for.
struct Options {
  let showsHelp: Bool
  let schedule: Schedule
  let filter: String?
  let printsJSON: Bool
  let showsTargets: Bool
  let asksOpenSSL: Bool
  private let backend: String?

  static let help = """
    Runs the same work with PureJOSE and with other libraries, side by side in one process.
    ratio = peer's time ÷ our time: above 1 PureJOSE is faster.

    swift run -c release --package-path Benchmarks/Peers peers [--filter TEXT] [--floors] [--json]
                                                                      [--openssl] [--backend NAME] [--quick]

      --filter TEXT   only operations whose name contains TEXT
      --floors        show what floors.tsv says that each operation must reach and aims at
      --openssl       a second table beside OpenSSL, which Python's cryptography brings: needs python3 with that package
      --json          one JSON object a line instead of the table
      --backend NAME  PureJOSE's backend: portable, aesni, avx2, avx2vaes, avx512, avx512ifma or neon;
                      the fastest that the machine has
                      by default, and if it lacks the one that is named
      --quick         few and short rounds, to see that everything runs
    """

  init(_ arguments: some Sequence<String>) throws(UsageError) {
    var arguments = ArgumentList(arguments)
    self.showsHelp = try arguments.takeFlag("--help")
    self.schedule = try arguments.takeFlag("--quick") ? .quick : .full
    self.filter = try arguments.takeValue("--filter")
    self.printsJSON = try arguments.takeFlag("--json")
    self.showsTargets = try arguments.takeFlag("--floors")
    self.asksOpenSSL = try arguments.takeFlag("--openssl")
    self.backend = try arguments.takeValue("--backend")
    try arguments.finish()
    if let backend, !["portable", "aesni", "avx2", "avx2vaes", "avx512", "avx512ifma", "neon"].contains(backend) {
      throw UsageError(
        "there is no backend '\(backend)', only portable, aesni, avx2, avx2vaes, avx512, avx512ifma and neon")
    }
    if printsJSON && showsTargets { throw UsageError("--floors goes with the table, not with --json") }
  }

  /// Has to come before the first use of PureJOSE.
  func chooseBackend() {
    if let backend { BackendVariable.set(backend) }
  }

  func select(from comparisons: [Comparison]) throws(UsageError) -> [Comparison] {
    guard let filter else { return comparisons }
    let selected = comparisons.filter { $0.name.contains(filter) }
    if selected.isEmpty { throw UsageError("no operation's name contains '\(filter)'") }
    return selected
  }
}
