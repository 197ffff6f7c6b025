import JOSE

/// The indexes of a record as one value: for each index 1 if it is unique and otherwise 0, then name and value, each
/// after its length in four octets, big-endian.
enum IndexList {
  static func octets(of indexes: [StoredRecord.Index]) -> [UInt8] {
    var list: [UInt8] = []
    for index in indexes {
      list.append(index.isUnique ? 1 : 0)
      for part in [Array(index.name.utf8), index.value] {
        withUnsafeBytes(of: UInt32(clamping: part.count).bigEndian) { list.append(contentsOf: $0) }
        list.append(contentsOf: part)
      }
    }
    return list
  }

  /// - Throws: ``MalformedRecord`` for octets that ``octets(of:)`` doesn't write.
  static func indexes(in list: [UInt8]) throws(MalformedRecord) -> [StoredRecord.Index] {
    var (indexes, rest) = ([StoredRecord.Index](), list[...])
    while let isUnique = rest.popFirst() {
      let (name, value) = (try part(&rest), try part(&rest))
      guard isUnique <= 1, let name = String(validating: name, as: UTF8.self) else { throw MalformedRecord() }
      indexes.append(StoredRecord.Index(name, Array(value), isUnique: isUnique == 1))
    }
    return indexes
  }

  private static func part(_ rest: inout ArraySlice<UInt8>) throws(MalformedRecord) -> ArraySlice<UInt8> {
    guard rest.count >= 4 else { throw MalformedRecord() }
    let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    rest.removeFirst(4)
    guard count <= rest.count else { throw MalformedRecord() }
    defer { rest.removeFirst(count) }
    return rest.prefix(count)
  }
}

/// A stored record can't be read: its row isn't in the form that it was written in.
public struct MalformedRecord: Error {}
