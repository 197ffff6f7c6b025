/// A canonical prefix code, known from the lengths of its codewords.
///
/// Source: RFC 1951 §3.2.2.
struct HuffmanCode {
  /// For each length, the codewords up to it end before this one; all as if they had 15 bits.
  private var ends = [Int](repeating: 0, count: 16)
  /// For each length, what to add to a codeword of it for the place of its symbol.
  private var offsets = [Int](repeating: 0, count: 16)
  /// The symbols in the order of their codewords.
  private var symbols: [Int] = []
  /// How many codewords there are of each length, then the place of the next symbol with one. Kept for its memory.
  private var counts = [Int](repeating: 0, count: 16)
  /// The lengths that occur.
  private var shortest = 15
  private var longest = 0

  /// A code without codewords.
  init() {}

  /// Makes this the code of these lengths. The memory of the one before is used again.
  ///
  /// - Parameter lengths: of each symbol's codeword, 0 to 15; 0 for a symbol that doesn't occur.
  /// - Parameter allowsSingleCode: whether the code may be empty or have a single codeword of one bit, as that of
  ///   distances may.
  /// - Throws: ``ErrorCode/malformed`` unless the code is complete.
  mutating func assign(lengths: ArraySlice<Int>, allowsSingleCode: Bool) throws(JOSEError) {
    for length in 0...15 { counts[length] = 0 }
    for length in lengths { counts[length] &+= 1 }
    let used = lengths.count &- counts[0]
    counts[0] = 0
    (shortest, longest) = (15, 0)
    // Each bit doubles the free codewords; those of that length use some up. In the end none may be left.
    var (free, first, place) = (1, 0, 0)
    for length in 1...15 {
      let count = counts[length]
      free = free &* 2 &- count
      guard free >= 0 else { throw Inflate.malformed }
      first = first &* 2
      offsets[length] = place &- first
      counts[length] = place
      if count > 0 { (shortest, longest) = (min(shortest, length), length) }
      first &+= count
      place &+= count
      ends[length] = first &<< (15 &- length)
    }
    guard free == 0 || allowsSingleCode && (used == 0 || used == 1 && longest == 1) else { throw Inflate.malformed }
    if symbols.count < used { symbols = [Int](repeating: 0, count: max(used, 32)) }
    var symbol = 0
    for length in lengths {
      if length > 0 {
        symbols[counts[length]] = symbol
        counts[length] &+= 1
      }
      symbol &+= 1
    }
  }

  /// The next symbol.
  @inline(__always)
  func decode(_ bits: inout DeflateBits) throws(JOSEError) -> Int {
    let window = bits.codewordWindow()
    var length = shortest
    while length <= longest {
      if window < ends[length] {
        try bits.skipCodeword(bitCount: length)
        return symbols[offsets[length] &+ window &>> (15 &- length)]
      }
      length &+= 1
    }
    throw Inflate.malformed
  }

  /// The code of literals and lengths that needs no description (§3.2.6).
  static let fixedLiterals = fixed(DeflateSymbols.fixedLiteralLengths)

  /// Thirty-two distances of five bits.
  static let fixedDistances = fixed(DeflateSymbols.fixedDistanceLengths)

  private static func fixed(_ lengths: [Int]) -> HuffmanCode {
    var code = HuffmanCode()
    // Both are complete.
    try? code.assign(lengths: lengths[...], allowsSingleCode: false)
    return code
  }
}
