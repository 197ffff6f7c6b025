/// A canonical prefix code, known from the lengths of its codewords.
///
/// Source: RFC 1951 §3.2.2.
struct HuffmanCode {
  /// How many codewords there are of each length, 0 to 15.
  private var counts = [Int](repeating: 0, count: 16)
  /// The symbols in the order of their codewords.
  private let symbols: [Int]

  /// - Parameter lengths: of each symbol's codeword, 0 to 15; 0 for a symbol that doesn't occur.
  /// - Parameter allowsSingleCode: whether the code may be empty or have a single codeword of one bit, as that of distances may.
  /// - Throws: ``JOSEErrorCode/malformed`` unless the code is complete.
  init(lengths: [Int], allowsSingleCode: Bool) throws(JOSEError) {
    for length in lengths { counts[length] += 1 }
    counts[0] = 0
    // Each bit doubles the free codewords; those of that length use some up. In the end none may be left.
    var free = 1
    for length in 1...15 {
      free = free * 2 - counts[length]
      guard free >= 0 else { throw Inflate.malformed }
    }
    let used = counts.reduce(0, +)
    guard free == 0 || allowsSingleCode && (used == 0 || used == 1 && counts[1] == 1) else { throw Inflate.malformed }
    symbols = lengths.indices.filter { lengths[$0] != 0 }.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
  }

  /// The next symbol.
  func decode(_ bits: inout DeflateBits) throws(JOSEError) -> Int {
    var code = 0
    var first = 0
    var index = 0
    for length in 1...15 {
      code |= try bits.read(1)
      let count = counts[length]
      // Codewords of this length are first, first + 1, …, first + count − 1.
      if code - first < count { return symbols[index + code - first] }
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    throw Inflate.malformed
  }

  /// The code of literals and lengths that needs no description (§3.2.6).
  static let fixedLiterals = fixed(
    [Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112) + [Int](repeating: 7, count: 24)
      + [Int](repeating: 8, count: 8))

  /// Thirty-two distances of five bits.
  static let fixedDistances = fixed([Int](repeating: 5, count: 32))

  private init(completeLengths lengths: [Int]) {
    for length in lengths { counts[length] += 1 }
    symbols = lengths.indices.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
  }

  private static func fixed(_ lengths: [Int]) -> HuffmanCode { HuffmanCode(completeLengths: lengths) }
}
