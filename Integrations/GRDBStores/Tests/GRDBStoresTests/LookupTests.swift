import Foundation
import GRDB
import SQLStores
import Testing

@testable import GRDBStores

@Suite struct LookupTests {
  /// Tasks that wait for a connection on their threads must not keep those waiting that give one back.
  @Test(.timeLimit(.minutes(60))) func `many look up and read at once`() async throws {
    let folder = Folder()
    let database = try ProviderDatabase(path: folder.path + "/state.sqlite")
    try await withThrowingTaskGroup(of: Int.self) { group in
      for index in 0..<400 {
        group.addTask {
          var sum = 0
          for _ in 0..<5 {
            if index.isMultiple(of: 2) {
              sum += Int(try database.look { try $0.run("SELECT 1", []).rows[0][0].int })
            } else {
              sum += try await database.read { try Int.fetchOne($0, sql: "SELECT 1") ?? 0 }
            }
          }
          return sum
        }
      }
      var sum = 0
      for try await part in group { sum += part }
      #expect(sum == 2000)
    }
  }

  @Test func `what is looked up is what was written last, and nothing can be written`() async throws {
    let folder = Folder()
    let database = try ProviderDatabase(path: folder.path + "/state.sqlite")
    for number in 0..<20 {
      try await database.write {
        try $0.execute(
          sql: "INSERT INTO rateLimits (key, startedAt, count) VALUES (?, 0, 1)", arguments: [Data("\(number)".utf8)])
      }
      let count = try database.look { try $0.run("SELECT count(*) FROM rateLimits", []).rows[0][0].int }
      #expect(count == number + 1)
    }
    #expect(throws: DatabaseError.self) { try database.look { try $0.run("DELETE FROM rateLimits", []) } }
  }

  @Test func `each of many who look up at once gets its own row, or its own error`() async throws {
    let folder = Folder()
    let driver = try ProviderDatabase(path: folder.path + "/state.sqlite").driver
    await withTaskGroup(of: (Int64, Int64?).self) { group in
      for number in Int64(0)..<400 {
        let statement = number % 40 == 7 ? "SELECT missing FROM nowhere WHERE 1 = ?" : "SELECT ?"
        group.addTask {
          let found = try? await driver.lookUp(statement, [.integer(number)]) { rows in try rows[0][0].int }
          return (number, found)
        }
      }
      for await (number, found) in group { #expect(found == (number % 40 == 7 ? nil : number)) }
    }
  }
}
