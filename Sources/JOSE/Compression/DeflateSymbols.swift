/// What the symbols of DEFLATE stand for, to who reads a stream and to who writes one.
///
/// Source: RFC 1951 §3.2.5, §3.2.7.
enum DeflateSymbols {
  /// The shortest match of each symbol from 257 on.
  static let lengthBases = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
  ]
  static let lengthExtraBits = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  /// The shortest distance of each symbol.
  static let distanceBases = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
    8193, 12289, 16385, 24577,
  ]
  /// The order in which the lengths of the code of code lengths stand.
  static let codeLengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  static let endOfBlock = 256
  static let literalCount = 286
  static let distanceCount = 30

  static func distanceExtraBits(_ symbol: Int) -> Int { symbol < 4 ? 0 : symbol / 2 - 1 }

  /// Lengths of the codes that need no description (§3.2.6).
  static let fixedLiteralLengths =
    [Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112) + [Int](repeating: 7, count: 24)
    + [Int](repeating: 8, count: 8)
  static let fixedDistanceLengths = [Int](repeating: 5, count: 32)
}
