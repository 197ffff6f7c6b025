import Foundation
import PureJOSEBenchmarking

/// Measures PureJOSE beside other libraries: `swift run -c release --package-path Benchmarks/Peers peers`.
@main
enum Peers {
  static func main() async {
    do {
      try await run()
    } catch let error as UsageError {
      FileHandle.standardError.write(Data("peers: \(error) (--help shows the usage)\n".utf8))
      exit(2)
    } catch {
      FileHandle.standardError.write(Data("peers: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() async throws {
    let options = try Options(CommandLine.arguments.dropFirst())
    if options.showsHelp { return print(Options.help) }
    options.chooseBackend()
    let comparisons = try options.select(from: await Comparison.all())

    #if DEBUG
      let warning =
        "DEBUG BUILD: these are nobody's speeds. Run: swift run -c release --package-path Benchmarks/Peers peers\n"
      FileHandle.standardError.write(Data(warning.utf8))
    #endif
    if !options.printsJSON { print("\(Machine.current().text)\n") }

    let targets = options.showsTargets ? try Target.read() : nil
    var progress = ProgressLine()
    let timings = try await Runner(schedule: options.schedule).measure(comparisons.flatMap { [$0.ours, $0.theirs] }) {
      progress.show($0, $1)
    }
    progress.finish()
    let outcomes = comparisons.enumerated().map { index, comparison in
      Outcome(comparison, ours: timings[2 * index], theirs: timings[2 * index + 1])
    }
    let second = options.asksOpenSSL ? try OpenSSLDriver.measure(beside: outcomes) : []
    if options.printsJSON {
      print(try (outcomes.map { try $0.json() } + second.map { try $0.json() }).joined(separator: "\n"))
    } else {
      print(OutcomeTable.text(outcomes, targets: targets))
      if !second.isEmpty { print("\n\(SecondPeer.table(second))") }
    }
  }
}
