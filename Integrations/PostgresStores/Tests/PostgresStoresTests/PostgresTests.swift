import IdentityTesting
import JOSE
import OpenIDKit
import PostgresTesting
import SQLStores
import Testing

@testable import PostgresStores

/// All that needs a server. One test after the other, since some of them end others' connections.
@Suite(.serialized) struct PostgresTests {
  static let date = NumericDate(1_760_000_000)

  /// Every store keeps every rule, through as many connections as the rules like.
  @Suite struct ConformanceTests {
    private func places<Store: Sendable>(
      _ store: @escaping @Sendable (PostgresDatabase) -> Store
    ) -> StorePlaces<Store> {
      StorePlaces { name in
        let settings = try await LocalServer.shared.value.settings(schema: "p\(name)")
        return store(try await PostgresDatabase.connect(settings, clock: .fixed(at: PostgresTests.date)))
      }
    }

    @Test(arguments: RecordStoreCases.all) func records(rule: StoreCase<any RecordStore>) async throws {
      #expect(try await rule.holds(in: places { $0.records }))
    }

    @Test(arguments: RateLimiterCases.all) func rateLimits(rule: StoreCase<any RateLimiter>) async throws {
      #expect(try await rule.holds(in: places { $0.rateLimits }))
    }
  }
}

extension PostgresDatabase {
  /// Runs statements of a test's own, each as it is.
  func run(_ statements: String...) async throws {
    try await driver.read { session in
      for statement in statements { _ = try session.run(statement, []) }
    }
  }

  /// The one number that a statement selects.
  func number(_ statement: String) async throws -> Int64? {
    try await driver.read { session -> Int64? in
      guard case .integer(let number)? = try session.run(statement, []).rows.first?.first else { return nil }
      return number
    }
  }
}
