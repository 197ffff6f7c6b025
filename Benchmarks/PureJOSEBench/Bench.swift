import PureJOSEBenchmarking
import Foundation
import PureCrypto

/// Measures the package's operations one by one: `swift run -c release bench`.
@main
enum Bench {
  static func main() async {
    do {
      try await run()
    } catch let error as UsageError {
      FileHandle.standardError.write(Data("bench: \(error) (--help shows the usage)\n".utf8))
      exit(2)
    } catch {
      FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() async throws {
    let options = try Options(CommandLine.arguments.dropFirst())
    if options.showsHelp { return print(Options.help) }
    if let page = options.page { return try page.write() }
    options.chooseBackend()
    let workloads = try await options.select(from: Workloads.all())
    if options.listsNames { return print(workloads.map(\.name).joined(separator: "\n")) }
    let earlier = try options.earlierReport()

    #if DEBUG
      print("DEBUG BUILD: these are not the speeds of the package. Run: swift run -c release bench")
      let configuration = "debug"
    #else
      let configuration = "release"
    #endif
    let machine = Machine.current()
    let backend = Backend.preferred.description
    print("\(machine.text)\nBackend \(backend)\n")

    var progress = ProgressLine()
    let timings = try await Runner(schedule: options.schedule).measure(workloads) { progress.show($0, $1) }
    progress.finish()
    print(ResultTable.text(timings, earlier: earlier))
    let report = Report(
      date: Date(), configuration: configuration, backend: backend,
      isFastestBackend: Backend.preferred == Backend.available.last, machine: machine, timings: timings)
    if let earlier, !earlier.isComparable(with: report) {
      print(
        "\nThe earlier run was made under other conditions: \(earlier.configuration) build, backend \(earlier.backend),"
      )
      print(earlier.machine.text)
    }
    if let path = options.reportPath { try report.write(to: path) }
  }
}
