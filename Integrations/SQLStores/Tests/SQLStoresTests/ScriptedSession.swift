@testable import SQLStores

/// A session whose statements each change one row, and return its number.
final class ScriptedSession: SQLSession {
  struct Statement {
    let text: String
    let values: [SQLValue]
    let isWhole: Bool
  }

  private(set) var statements: [Statement] = []

  func run(_ statement: String, _ values: [SQLValue]) -> SQLResult { note(statement, values, isWhole: false) }

  func runWhole(_ statement: String, _ values: [SQLValue]) -> SQLResult { note(statement, values, isWhole: true) }

  private func note(_ text: String, _ values: [SQLValue], isWhole: Bool) -> SQLResult {
    statements.append(Statement(text: text, values: values, isWhole: isWhole))
    return SQLResult(rows: [[.integer(1)]], count: 1)
  }
}
