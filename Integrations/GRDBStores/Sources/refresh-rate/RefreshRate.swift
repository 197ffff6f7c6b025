import Foundation
import GRDBStores
import IdentityTesting
import PureJOSEBenchmarking
import OpenIDKit

/// Measures how many refresh tokens a provider redeems in a second with its families in SQLite; `bench` measures the
/// same in memory.
@main struct RefreshRate {
  private static let help = """
    Measures how many refresh tokens are redeemed in a second with SQLite.

    swift run -c release refresh-rate [--directory PATH] [--json FILE] [--quick]

      --directory PATH  the folder for the database, on the disk to measure. Default: the system's folder for temporary files
      --json FILE       keep the results in FILE, which `bench --report` reads
      --quick           few and short rounds, to test that everything runs

    token-refresh.sqlite.flushed.N    N at once; each is answered once its rotation survives a loss of power
    token-refresh.sqlite.unflushed.N  the same, answered once its rotation survives the end of the process
    """

  static func main() async {
    do {
      try await run()
    } catch let error as UsageError {
      FileHandle.standardError.write(Data("refresh-rate: \(error) (--help shows the usage)\n".utf8))
      exit(2)
    } catch {
      FileHandle.standardError.write(Data("refresh-rate: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() async throws {
    var arguments = ArgumentList(CommandLine.arguments.dropFirst())
    if try arguments.takeFlag("--help") { return print(help) }
    let schedule: Schedule = try arguments.takeFlag("--quick") ? .quick : .full
    let parent = try arguments.takeValue("--directory") ?? FileManager.default.temporaryDirectory.path
    let reportPath = try arguments.takeValue("--json")
    try arguments.finish()

    let folder = parent + "/refresh-rate-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var workloads: [Workload] = []
    for (name, durability) in [("flushed", ProviderDatabase.Durability.powerLoss), ("unflushed", .processEnd)] {
      let database = try ProviderDatabase(path: folder + "/\(name).sqlite", durability: durability)
      let service = try RefreshTokenService(
        format: RefreshTokenFormat(key: [UInt8](repeating: 7, count: 32)), sessions: EndlessSessions(),
        records: database.records)
      for count in [1, 16, 64] {
        workloads.append(try await workload("token-refresh.sqlite.\(name).\(count)", count, service))
      }
    }

    #if DEBUG
      print("DEBUG BUILD: run swift run -c release refresh-rate")
      let configuration = "debug"
    #else
      let configuration = "release"
    #endif
    let machine = Machine.current()
    print("\(machine.text)\n")
    var progress = ProgressLine()
    let timings = try await Runner(schedule: schedule).measure(workloads) { progress.show($0, $1) }
    progress.finish()
    print(ResultTable.text(timings, earlier: nil))
    let report = Report(
      date: Date(), configuration: configuration, backend: "sqlite", isFastestBackend: true, machine: machine,
      timings: timings)
    if let reportPath { try report.write(to: reportPath) }
  }

  /// Runs several logins, and each redeems its tokens one after another.
  private static func workload(_ name: String, _ count: Int, _ service: RefreshTokenService) async throws -> Workload {
    let logins = Logins()
    for number in 0..<count {
      let grant = RefreshGrant(subject: "\(name) \(number)", clientID: "app", scope: ["openid"])
      logins.tokens.append(try await service.issue(grant).refreshToken)
    }
    let repetitions = 4
    return Workload(asynchronous: name, operationsPerCall: count * repetitions) {
      logins.tokens = try await withThrowingTaskGroup(of: (Int, String).self) { group in
        for (index, token) in logins.tokens.enumerated() {
          group.addTask {
            var token = token
            for _ in 0..<repetitions {
              let redemption = RefreshRedemption(refreshToken: token, clientID: "app")
              token = try await service.redeem(redemption) { $0.generation }.refreshToken
            }
            return (index, token)
          }
        }
        return try await group.reduce(into: logins.tokens) { $0[$1.0] = $1.1 }
      }
    }
  }

  /// The state that the benchmark's one task passes from call to call.
  private final class Logins {
    var tokens: [String] = []
  }
}
