/// DEFLATE, the writing half: matches by chains of hashes, each put off while the next octet has a longer one, and for
/// each block the shortest of its three forms.
///
/// How long the result is tells of what is in it, so only what is public may be compressed.
///
/// Source: RFC 1951.
package enum Deflate {
  /// Compresses octets into one stream without any wrapper.
  package static func compress(_ data: [UInt8]) -> [UInt8] {
    var writer = DeflateBitWriter()
    var (symbols, start) = ([DeflateSymbol](), 0)
    symbols.reserveCapacity(min(data.count, symbolsPerBlock))
    var end = 0
    func writeBlock(isLast: Bool) {
      DeflateBlock(symbols: symbols, content: data[start..<end]).write(to: &writer, isLast: isLast)
      symbols.removeAll(keepingCapacity: true)
      start = end
    }
    func emit(_ symbol: DeflateSymbol) {
      if symbols.count == symbolsPerBlock { writeBlock(isLast: false) }
      symbols.append(symbol)
      end += symbol.contentLength
    }

    var finder = MatchFinder(data)
    var place = 0
    // The match that begins an octet before `place`.
    var held: MatchFinder.Match?
    while place < data.count {
      let match = finder.longestMatch(at: place, after: held)
      var taken: (match: MatchFinder.Match, start: Int)?
      if let last = held, match.map({ $0.length <= last.length }) ?? true {
        taken = (last, place - 1)
      } else {
        if held != nil { emit(.literal(data[place - 1])) }
        if let match, match.length == MatchFinder.lengths.upperBound { taken = (match, place) }
      }
      held = nil
      if let taken {
        emit(.match(length: taken.match.length, distance: taken.match.distance))
        let after = taken.start + taken.match.length
        for passed in place + 1..<max(after, place + 1) { finder.pass(passed) }
        place = after
      } else if let match {
        held = match
        place += 1
      } else {
        emit(.literal(data[place]))
        place += 1
      }
    }
    writeBlock(isLast: true)
    return writer.finished()
  }

  /// Enough that the description of a code is a small part, and few enough that the code fits what it is for.
  private static let symbolsPerBlock = 32_768
}

/// An octet, or the length and distance of a match.
enum DeflateSymbol {
  case literal(UInt8)
  case match(length: Int, distance: Int)

  /// How many octets it stands for.
  var contentLength: Int {
    switch self {
    case .literal: 1
    case .match(let length, _): length
    }
  }
}
