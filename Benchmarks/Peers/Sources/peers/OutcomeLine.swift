import Foundation

/// What a comparison gave, as programs read it.
struct OutcomeLine: Encodable {
  let op: String
  let ours_ns: Double
  let peer: String
  let peer_ns: Double
  let ratio: Double

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}
