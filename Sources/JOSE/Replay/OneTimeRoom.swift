/// Records that wait in memory under a reference until they are taken, once. References are compared as bytes.
package struct OneTimeRoom<Record: Sendable>: Sendable {
  private let capacity: Int
  private var records: [[UInt8]: Record] = [:]

  /// Room for this many records.
  package init(capacity: Int) { self.capacity = capacity }

  /// How many records wait.
  package var count: Int { records.count }

  /// Keeps a record.
  ///
  /// - Parameter isOver: whether a record that waits can be given up. Asked when there is no room.
  /// - Returns: whether it is kept: false if the reference is taken, nil if there is no room.
  package mutating func insert(_ record: Record, _ reference: String, where isOver: (Record) -> Bool) -> Bool? {
    let reference = Array(reference.utf8)
    guard records[reference] == nil else { return false }
    if records.count >= capacity { records = records.filter { !isOver($0.value) } }
    guard records.count < capacity else { return nil }
    records[reference] = record
    return true
  }

  /// Removes and returns a record.
  package mutating func take(_ reference: String) -> Record? { records.removeValue(forKey: Array(reference.utf8)) }
}
