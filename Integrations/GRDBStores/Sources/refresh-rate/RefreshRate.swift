import Foundation
import GRDBStores
import TokenRefresh

/// Measures how many refresh tokens a provider redeems in a second with its families in SQLite.
///
/// usage: swift run -c release refresh-rate [SECONDS]
@main struct RefreshRate {
  static func main() async throws {
    let seconds = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 3
    for (name, durability) in [
      ("a write waits for the disk", ProviderDatabase.Durability.powerLoss),
      ("a write waits for the system", .processEnd),
    ] {
      for tasks in [1, 16, 64] {
        let rate = try await rate(durability, tasks, seconds)
        print("\(name), \(tasks) at once: \(Int(rate)) tokens a second")
      }
    }
  }

  private static func rate(
    _ durability: ProviderDatabase.Durability, _ tasks: Int, _ seconds: Double
  ) async throws -> Double {
    let folder = FileManager.default.temporaryDirectory.path + "/refresh-rate-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let database = try ProviderDatabase(path: folder + "/state.sqlite", durability: durability)
    let service = try RefreshTokenService(
      format: RefreshTokenFormat(key: [UInt8](repeating: 7, count: 32)), store: database.families)
    let clock = ContinuousClock()
    let start = clock.now
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<tasks {
        group.addTask {
          let grant = RefreshGrant(subject: "user \(task)", clientID: "app", scope: ["openid"])
          var token = try await service.issue(grant).refreshToken
          var count = 0
          while start.duration(to: clock.now) < .seconds(seconds) {
            token = try await service.redeem(RefreshRedemption(refreshToken: token, clientID: "app")) { $0.generation }
              .refreshToken
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    let passed = start.duration(to: clock.now).components
    return Double(count) / (Double(passed.seconds) + Double(passed.attoseconds) / 1e18)
  }
}
