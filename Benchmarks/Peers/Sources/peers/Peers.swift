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
    let machine = Machine.current()
    let extensions = try checkInstructions(options, on: machine)
    if options.plants { return }
    let comparisons = try options.select(from: await Comparison.all())

    #if DEBUG
      let warning =
        "DEBUG BUILD: these are nobody's speeds. Run: swift run -c release --package-path Benchmarks/Peers peers\n"
      FileHandle.standardError.write(Data(warning.utf8))
    #endif
    if !options.printsJSON { print("\(machine.text)\n\(extensions)") }

    let targets = options.showsTargets ? try Target.read() : nil
    var progress = ProgressLine()
    let timings = try await Runner(schedule: options.schedule).measure(comparisons.flatMap { [$0.ours, $0.theirs] }) {
      progress.show($0, $1)
    }
    progress.finish()
    let outcomes = comparisons.enumerated().map { index, comparison in
      Outcome(
        comparison, ours: timings[2 * index], theirs: timings[2 * index + 1], takesMinima: options.takesMinima)
    }
    let second = options.asksOpenSSL ? try OpenSSLDriver.measure(beside: outcomes, options, on: machine) : []
    if options.printsJSON {
      print(try (outcomes.map { try $0.json() } + second.map { try $0.json() }).joined(separator: "\n"))
    } else {
      print(OutcomeTable.text(outcomes, targets: targets))
      if !second.isEmpty { print("\n\(SecondPeer.table(second))") }
    }
  }

  /// Makes sure that swift-crypto is held to the class that was asked for, or with a planted one that this is noticed.
  /// - Returns: a line for the head of the report, or nothing without a class.
  private static func checkInstructions(_ options: Options, on machine: Machine) throws -> String {
    guard let wanted = options.instructionClass else { return "" }
    guard let word = BoringSSL.extensions else {
      if options.plants { throw UsageError("BoringSSL tells what it has on Linux for x86-64 only") }
      return ""
    }
    try wanted.require(of: machine)
    do {
      let extensions = try wanted.check(word, of: "BoringSSL", on: machine)
      if options.plants { throw UsageError("a peer of \(wanted.wrong.rawValue) passes for one of \(wanted.rawValue)") }
      return "\(wanted.rawValue) on both sides. BoringSSL has of these extensions: \(extensions)\n"
    } catch let error as WrongClass where options.plants {
      print("noticed: \(error)")
      return ""
    }
  }
}
