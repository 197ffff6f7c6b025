/// A rule that a store must keep, and what shows whether it does.
///
/// ```swift
/// let places = StorePlaces<any SecretStore> { name in try MyDatabase(path: folder + name).tokens }
///
/// @Test(arguments: SecretStoreCases.all) func rule(_ rule: StoreCase<any SecretStore>) async throws {
///   #expect(try await rule.holds(in: places))
/// }
/// ```
public struct StoreCase<Store: Sendable>: Sendable, CustomStringConvertible {
  /// The rule, as a sentence.
  public let rule: String
  private let body: @Sendable (StorePlace<Store>) async throws -> Bool

  package init(_ rule: String, _ body: @escaping @Sendable (_ place: StorePlace<Store>) async throws -> Bool) {
    self.rule = rule
    self.body = body
  }

  /// Whether the stores at these places keep the rule. Each call takes a place of its own.
  ///
  /// - Throws: what the store throws, which breaks the rule as well.
  public func holds(in places: StorePlaces<Store>) async throws -> Bool {
    try await body(StorePlace(places))
  }

  /// The rules of these cases that are broken, with what was thrown if something was. Empty if the store conforms.
  public static func findings(_ cases: [StoreCase], in places: StorePlaces<Store>) async -> [String] {
    var findings: [String] = []
    for rule in cases {
      do {
        if try await !rule.holds(in: places) { findings.append(rule.rule) }
      } catch {
        findings.append("\(rule.rule): it threw \(error)")
      }
    }
    return findings
  }

  /// The rule, as a test names it.
  public var description: String { rule }
}

/// Whether all of these hold. The operator `&&` has no place for what must be waited for.
package func allHold(_ conditions: Bool...) -> Bool { conditions.allSatisfy { $0 } }
