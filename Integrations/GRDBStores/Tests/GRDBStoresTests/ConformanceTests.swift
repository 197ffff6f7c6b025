import Foundation
import GRDB
import JOSE
import NativeSSOKit
import PlatformSSOKit
import AppleSignInKit
import IdentityTesting
import Testing
import OpenIDKit

@testable import GRDBStores

/// Every store keeps every rule: in files, opened through as many connections as the rules like.
@Suite struct ConformanceTests {
  private let folder = Folder()

  /// Places whose stores are in files of this folder. Tests need not wait for the disk.
  private func places<Store: Sendable>(
    _ store: @escaping @Sendable (ProviderDatabase) -> Store
  ) -> StorePlaces<Store> {
    StorePlaces { [folder] name in
      store(
        try ProviderDatabase(
          path: folder.path + "/" + name, durability: .processEnd,
          clock: .fixed(at: NumericDate(1_760_000_000))))
    } rewriting: { [folder] name, change in
      try await DatabaseQueue(path: folder.path + "/" + name).write { database in
        for table in [
          "records"
        ] {
          for document in try Data.fetchAll(database, sql: "SELECT document FROM \(table)") {
            try database.execute(
              sql: "UPDATE \(table) SET document = ? WHERE document = ?",
              arguments: [Data(change([UInt8](document))), document])
          }
        }
      }
    }
  }

  @Test(arguments: RecordStoreCases.all) func records(rule: StoreCase<any RecordStore>) async throws {
    #expect(try await rule.holds(in: places { $0.records }))
  }

  @Test(arguments: RateLimiterCases.all) func rateLimits(rule: StoreCase<any RateLimiter>) async throws {
    #expect(try await rule.holds(in: places { $0.rateLimits }))
  }
}

/// A folder that goes with its test.
final class Folder: Sendable {
  let path = FileManager.default.temporaryDirectory.path + "/grdb-stores-\(UUID().uuidString)"

  init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
