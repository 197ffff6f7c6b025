import JOSE
import Testing

@testable import SQLStores

/// The indexes of a record as one value.
@Suite struct IndexListTests {
  private static let lists: [[StoredRecord.Index]] = [
    [], [StoredRecord.Index("", [])],
    [
      StoredRecord.Index("user", [0, 1, 0]), StoredRecord.Index("é", [255], isUnique: true),
      StoredRecord.Index("e\u{301}", []),
    ],
  ]

  @Test func `a list is read as it was written, octet by octet`() throws {
    for list in Self.lists {
      let read = try IndexList.indexes(in: IndexList.octets(of: list))
      #expect(read == list && read.map { Array($0.name.utf8) } == list.map { Array($0.name.utf8) })
    }
  }

  @Test func `a list that is damaged is an error and no trap`() throws {
    let whole = IndexList.octets(of: Self.lists[2])
    for count in 1..<whole.count {
      let cut = Array(whole.prefix(count))
      guard let read = try? IndexList.indexes(in: cut) else { continue }
      // What remains of whole entries.
      #expect(read.count < 3 && IndexList.octets(of: read) == cut)
    }
    for position in whole.indices {
      var changed = whole
      changed[position] = 0xFF
      guard let read = try? IndexList.indexes(in: changed) else { continue }
      #expect(IndexList.octets(of: read) == changed)
    }
    for damage: [UInt8] in [
      [1, 0xFF, 0xFF, 0xFF, 0xFF], [2, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0xC3, 0, 0, 0, 0],
    ] {
      #expect(throws: MalformedRecord.self) { try IndexList.indexes(in: damage) }
    }
  }
}
