import Testing

@testable import PostgresStores

/// What a program does after an error, by PostgreSQL's code for it.
@Suite struct PostgresErrorTests {
  /// statement_completion_unknown; connection exceptions, transaction_resolution_unknown among them; a shutdown, a
  /// crash, a start; too many connections; a statement that was ended.
  @Test(
    arguments: [
      "40003", "08000", "08001", "08003", "08004", "08006", "08007", "08P01", "57P01", "57P02", "57P03", "53300",
      "57014",
    ])
  func `what may have been committed is unknown`(state: String) {
    #expect(PostgresError(.statementFailed, sqlState: state).leavesOutcomeUnknown)
  }

  /// The rest of the class 40; a lock that was not to be had; a standby; a value, a key and a right that are wrong.
  @Test(arguments: ["40000", "40001", "40002", "40P01", "55P03", "25006", "22000", "23505", "42501"])
  func `what was rolled back or refused is known`(state: String) {
    #expect(!PostgresError(.statementFailed, sqlState: state).leavesOutcomeUnknown)
  }

  /// Such a transaction might be done twice.
  @Test func `what may have been committed is no conflict to try again after`() {
    let error = PostgresError(.statementFailed, sqlState: "40003")
    #expect(!error.isConflict && !error.isLackOfConnection)
  }

  @Test func `what a false server says moves no terminal and adds no line`() {
    let error = PostgresError(.noConnection, sqlState: "\u{1B}[2Jx", detail: "one\u{7}\u{1B}[31m\ntwo\u{200B}ü\u{9B}1m")
    #expect(error.sqlState == nil)
    #expect(error.description.hasSuffix(": one\\u{7}\\u{1B}[31m\\u{A}two\\u{200B}ü\\u{9B}1m"))
    for state in ["4000", "400011", "4000a", "40\n01", ""] {
      #expect(PostgresError(.statementFailed, sqlState: state).sqlState == nil)
    }
    #expect(PostgresError(.statementFailed, sqlState: "40P01").sqlState == "40P01")
    #expect(PostgresError(.noConnection, detail: String(repeating: "x", count: 9000)).description.count < 700)
  }

  @Test func `without an answer the outcome is unknown`() {
    #expect(PostgresError(.connectionLost).leavesOutcomeUnknown && PostgresError(.timedOut).leavesOutcomeUnknown)
    #expect(PostgresError(.connectionLost, sqlState: "25P03").leavesOutcomeUnknown)
    #expect(!PostgresError(.poolExhausted).leavesOutcomeUnknown)
  }
}
