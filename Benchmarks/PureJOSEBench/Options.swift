import PureJOSEBenchmarking
import PureCrypto

/// What the command line asks for.
struct Options {
  let showsHelp: Bool
  let listsNames: Bool
  let schedule: Schedule
  let filter: String?
  /// Where to keep the results.
  let reportPath: String?
  /// A page to write of runs that were kept, instead of measuring.
  let page: PageRequest?
  private let earlierReportPath: String?
  private let backend: Backend?

  static let help = """
    Measures the package's operations.

    swift run -c release bench [--filter TEXT] [--json FILE] [--compare FILE] [--backend NAME] [--quick] [--list]
    swift run -c release bench --report FILE.html RESULTS …

      --filter TEXT   only operations whose name contains TEXT
      --json FILE     keep the results in FILE
      --compare FILE  show old time ÷ new time against a file kept earlier: above 1 is faster now
      --backend NAME  run on portable, aesni, avx2, avx2vaes, avx512, avx512ifma or neon instead of the fastest there is
      --quick         few and short rounds, to see that everything runs
      --list          print the operations' names and stop
      --report FILE   write a page with a trend of each operation over files that --json kept, and bars for those that peers --json
                      printed; measures nothing
    """

  init(_ arguments: some Sequence<String>) throws(UsageError) {
    var arguments = ArgumentList(arguments)
    self.showsHelp = try arguments.takeFlag("--help")
    self.listsNames = try arguments.takeFlag("--list")
    self.schedule = try arguments.takeFlag("--quick") ? .quick : .full
    self.filter = try arguments.takeValue("--filter")
    self.reportPath = try arguments.takeValue("--json")
    self.earlierReportPath = try arguments.takeValue("--compare")
    self.backend = try Self.backend(arguments.takeValue("--backend"))
    if let path = try arguments.takeValue("--report") {
      self.page = try PageRequest(path: path, sources: arguments.takeOperands())
    } else {
      self.page = nil
    }
    try arguments.finish()
  }

  private static func backend(_ name: String?) throws(UsageError) -> Backend? {
    guard let name else { return nil }
    guard let backend = Backend(rawValue: name), Backend.available.contains(backend) else {
      let available = Backend.available.map(\.description).joined(separator: ", ")
      throw UsageError("there is no backend '\(name)' here, only \(available)")
    }
    return backend
  }

  /// Has to come before the first use of the cryptography.
  func chooseBackend() {
    if let backend { BackendVariable.set(backend.description) }
  }

  func select(from workloads: [Workload]) throws(UsageError) -> [Workload] {
    guard let filter else { return workloads }
    let selected = workloads.filter { $0.name.contains(filter) }
    if selected.isEmpty { throw UsageError("no operation's name contains '\(filter)'") }
    return selected
  }

  func earlierReport() throws(UsageError) -> Report? {
    guard let path = earlierReportPath else { return nil }
    do {
      return try Report(contentsOf: path)
    } catch {
      throw UsageError("'\(path)' can't be read as results that --json kept")
    }
  }
}
