import JOSE
import Testing

@testable import SQLStores

/// What a program with tables of its own has of the drivers.
@Suite struct ProgramTests {
  @Test func `locks are one statement of PostgreSQL, apart from those of the stores, and none of SQLite`() throws {
    let session = ScriptedSession()
    try session.lock(["a", "b"], .sqlite)
    #expect(session.statements.isEmpty)
    try session.lock(["a", "b"], .postgreSQL)
    #expect(session.statements.count == 1)
    guard case .text(let list)? = session.statements.first?.values.first else {
      Issue.record("no list of locks")
      return
    }
    #expect(list.split(separator: ",").count == 2)
    var store = AdvisoryLocks()
    store.insert(Array("a".utf8))
    #expect(store.numbers.allSatisfy { !list.contains("\($0)") })
  }

  @Test func `a value is read as what was written, and as nothing else`() throws {
    #expect(try SQLValue.flag(true).isSet && !SQLValue.flag(false).isSet)
    #expect(try SQLValue.date(NumericDate(7)).date == NumericDate(7))
    #expect(try SQLValue.name("e\u{301}").name.utf8.elementsEqual("e\u{301}".utf8))
    #expect(SQLValue.date(nil).orNil == nil && SQLValue.optional(nil).orNil == nil)
    #expect(try SQLValue.optional("a").orNil?.string == "a")
    let values: [SQLValue] = [.null, .integer(1), .real(1), .text("1"), .octets([1])]
    var read = [0, 0, 0, 0]
    for value in values {
      if (try? value.int) != nil { read[0] += 1 }
      if (try? value.double) != nil { read[1] += 1 }
      if (try? value.string) != nil { read[2] += 1 }
      if (try? value.bytes) != nil { read[3] += 1 }
    }
    #expect(read == [1, 1, 1, 1])
  }
}
