import PureJOSEBenchmarking

/// What the command line asks for.
struct Options {
  let showsHelp: Bool
  let schedule: Schedule
  let filter: String?
  let printsJSON: Bool
  let showsTargets: Bool
  let asksOpenSSL: Bool
  /// Whether the fastest rounds count instead of the medians.
  let takesMinima: Bool
  /// Whether the peer is held to another class than the one that is asked for, which must be noticed.
  let plants: Bool
  /// The class of the backend that was asked for, where it has one.
  let instructionClass: InstructionClass?
  private let backend: String?

  static let help = """
    Runs the same work with PureJOSE and with other libraries, side by side in one process.
    ratio = peer's time ÷ our time: above 1 PureJOSE is faster.

    swift run -c release --package-path Benchmarks/Peers peers [--filter TEXT] [--floors] [--json]
                                                                      [--openssl] [--backend NAME] [--minima]
                                                                      [--quick] [--plant]

      --filter TEXT   only operations whose name contains TEXT
      --floors        show what floors.tsv says that each operation must reach and aims at
      --openssl       a second table beside OpenSSL, which Python's cryptography brings: needs python3 with that package
      --json          one JSON object a line instead of the table
      --backend NAME  PureJOSE's backend: portable, aesni, avx2, avx2vaes, avx512, avx512ifma or neon;
                      the fastest that the machine has by default. On x86-64 swift-crypto and OpenSSL are held to the
                      same extensions, and it is made sure that they are
      --minima        the fastest round of each side instead of the median, for a machine that others use
      --plant         hold swift-crypto to another class than NAME's: exit code 0 if that is noticed
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
    self.takesMinima = try arguments.takeFlag("--minima")
    self.plants = try arguments.takeFlag("--plant")
    self.backend = try arguments.takeValue("--backend")
    self.instructionClass = backend.flatMap(InstructionClass.init)
    try arguments.finish()
    if let backend, instructionClass == nil, backend != "neon" {
      throw UsageError(
        "there is no backend '\(backend)', only portable, aesni, avx2, avx2vaes, avx512, avx512ifma and neon")
    }
    if plants && instructionClass == nil { throw UsageError("--plant needs a --backend of x86-64") }
    if printsJSON && showsTargets { throw UsageError("--floors goes with the table, not with --json") }
  }

  /// Has to come before the first use of PureJOSE and of the peers.
  func chooseBackend() {
    if let backend { BackendVariable.set(backend) }
    if let instructionClass { (plants ? instructionClass.wrong : instructionClass).hold() }
  }

  func select(from comparisons: [Comparison]) throws(UsageError) -> [Comparison] {
    guard let filter else { return comparisons }
    let selected = comparisons.filter { $0.name.contains(filter) }
    if selected.isEmpty { throw UsageError("no operation's name contains '\(filter)'") }
    return selected
  }
}
