/// Finds where octets have occurred before, by chains of the places where three octets have the same hash.
///
/// Every place is given to ``longestMatch(at:after:)`` or ``pass(_:)``, in order.
struct MatchFinder {
  struct Match {
    let length: Int
    let distance: Int
  }

  /// How long matches are (RFC 1951 §3.2.5).
  static let lengths = 3...258

  private static let windowSize = 32_768
  /// How many places of a chain are looked at; a quarter of them for what is to be better than a match of 32 octets.
  private static let chainLimit = 4096
  /// A match of three octets from further away takes more bits than the octets.
  private static let farthestOfThree = 4096

  private let data: [UInt8]
  /// The last place of each hash, or −1.
  private var heads = [Int](repeating: -1, count: 1 << 15)
  /// For each place of the window, the one before it with the same hash.
  private var earlier = [Int](repeating: -1, count: windowSize)

  init(_ data: [UInt8]) { self.data = data }

  /// Notes a place within a match that has been taken.
  mutating func pass(_ place: Int) {
    guard let hash = hash(at: place) else { return }
    earlier[place % Self.windowSize] = heads[hash]
    heads[hash] = place
  }

  /// The longest match of what follows a place, the nearest of those, if one is worth it.
  ///
  /// - Parameter held: the match that begins an octet before, if there is one.
  mutating func longestMatch(at place: Int, after held: Match?) -> Match? {
    guard let hash = hash(at: place) else { return nil }
    let longest = min(Self.lengths.upperBound, data.count - place)
    var candidate = heads[hash]
    pass(place)
    var best = Match(length: Self.lengths.lowerBound - 1, distance: 0)
    for _ in 0..<((held?.length ?? 0) < 32 ? Self.chainLimit : Self.chainLimit / 4) {
      // A place that has left the window has been overwritten by one behind it, so chains lead backwards or end.
      guard candidate >= 0, place - candidate <= Self.windowSize, best.length < longest else { break }
      if data[candidate + best.length] == data[place + best.length] {
        var length = 0
        while length < longest, data[candidate + length] == data[place + length] { length += 1 }
        if length > best.length { best = Match(length: length, distance: place - candidate) }
      }
      let next = earlier[candidate % Self.windowSize]
      guard next < candidate else { break }
      candidate = next
    }
    guard best.length > 3 || best.length == 3 && best.distance <= Self.farthestOfThree else { return nil }
    return best
  }

  /// 15 bits of the three octets at a place; nil where fewer are left.
  private func hash(at place: Int) -> Int? {
    guard place + 2 < data.count else { return nil }
    let octets = UInt32(data[place]) << 16 | UInt32(data[place + 1]) << 8 | UInt32(data[place + 2])
    return Int((octets &* 0x9E37_79B1) >> 17)
  }
}
