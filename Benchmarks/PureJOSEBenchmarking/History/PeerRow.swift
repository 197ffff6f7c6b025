import Foundation

/// A line of what `peers --json` prints: one operation beside another library.
package struct PeerRow: Codable, Equatable, Sendable {
  package let operation: String
  /// Median time of this package, in nanoseconds.
  package let ours: Double
  /// The other library.
  package let peer: String
  /// Its median time, in nanoseconds.
  package let theirs: Double

  enum CodingKeys: String, CodingKey {
    case operation = "op"
    case ours = "ours_ns"
    case peer
    case theirs = "peer_ns"
  }

  package init(operation: String, ours: Double, peer: String, theirs: Double) {
    self.operation = operation
    self.ours = ours
    self.peer = peer
    self.theirs = theirs
  }

  /// How many times as fast this package is.
  package var ratio: Double { theirs / ours }

  /// All lines of a text, or nil if one of them is no such row.
  package static func rows(_ text: Data) -> [PeerRow]? {
    let lines = text.split(separator: UInt8(ascii: "\n"))
    let rows = lines.compactMap { try? JSONDecoder().decode(PeerRow.self, from: Data($0)) }
    let areWhole = rows.count == lines.count && rows.allSatisfy { $0.ours > 0 && $0.theirs > 0 }
    return rows.isEmpty || !areWhole ? nil : rows
  }
}
