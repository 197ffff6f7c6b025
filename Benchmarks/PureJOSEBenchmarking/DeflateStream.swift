/// A writer of DEFLATE streams of any shape, most of them such as no compressor would make: for tests and measurements
/// of the reader.
///
/// Source: RFC 1951.
public struct DeflateStream: Sendable {
  /// The stream so far; the last octet may be incomplete.
  public private(set) var octets: [UInt8] = []
  /// How many bits of the last octet are used, 1 to 8.
  private var usedBitCount = 8

  /// A stream without any block.
  public init() {}

  /// Appends a block without compression, of at most 65,535 octets.
  public mutating func appendStored(_ content: [UInt8], isLast: Bool = false) {
    append(isLast ? 1 : 0, bitCount: 3)
    usedBitCount = 8
    for half in [content.count, ~content.count] {
      octets += [UInt8(truncatingIfNeeded: half), UInt8(truncatingIfNeeded: half >> 8)]
    }
    octets += content
  }

  /// Appends literals under the fixed codes.
  public mutating func appendFixed(_ content: [UInt8], isLast: Bool) {
    append(isLast ? 3 : 2, bitCount: 3)
    for octet in content {
      if octet < 144 {
        append(code: 0x30 + Int(octet), bitCount: 8)
      } else {
        append(code: 0x100 + Int(octet), bitCount: 9)
      }
    }
    append(code: 0, bitCount: 7)
  }

  /// Appends literals, lengths and distances under codes of the block's own, and the end of the block.
  ///
  /// - Parameters:
  ///   - literalLengths: the lengths of the codewords of symbols 0 to 256 or more, which must make a complete code.
  ///   - distanceLengths: those of the distances.
  ///   - symbols: literals below 256; a length's symbol is followed by extra bits of 0 and the distance of symbol 0.
  public mutating func appendDynamic(
    literalLengths: [Int], distanceLengths: [Int], symbols: [Int], isLast: Bool = false
  ) {
    append(isLast ? 5 : 4, bitCount: 3)
    append(literalLengths.count - 257, bitCount: 5)
    append(distanceLengths.count - 1, bitCount: 5)
    let runs = Self.runs(literalLengths + distanceLengths)
    let lengthLengths = Self.codeLengths(runs.map(\.symbol))
    let ordered = Self.lengthOrder.map { lengthLengths[$0] }
    let count = max(4, ordered.count - ordered.reversed().prefix { $0 == 0 }.count)
    append(count - 4, bitCount: 4)
    for length in ordered.prefix(count) { append(length, bitCount: 3) }
    let lengthCode = Self.codewords(lengthLengths)
    for run in runs {
      append(code: lengthCode[run.symbol], bitCount: lengthLengths[run.symbol])
      append(run.extra, bitCount: run.extraBitCount)
    }
    let (literals, distances) = (Self.codewords(literalLengths), Self.codewords(distanceLengths))
    for symbol in symbols + [256] {
      append(code: literals[symbol], bitCount: literalLengths[symbol])
      // 285 has no extra bits, as the lengths below 265.
      if symbol > 256 { append(code: distances[0], bitCount: distanceLengths[0]) }
    }
  }

  // MARK: Shapes

  /// Blocks of one kind, over and over.
  public enum Shape: String, CaseIterable, Sendable {
    /// Blocks without anything in them.
    case emptyStored, emptyFixed, emptyDynamic
    /// The same with a codeword for each symbol, whose lengths are written out one by one.
    case fullDynamic
    /// Blocks of a single octet.
    case literalStored, literalFixed, literalDynamic
  }

  /// A stream of at most this many octets that consists of such blocks and of a last one that is empty.
  public static func repeating(_ shape: Shape, byteCount: Int) -> DeflateStream {
    var stream = DeflateStream()
    while stream.octets.count + 64 <= byteCount { stream.append(shape) }
    stream.appendFixed([], isLast: true)
    return stream
  }

  private mutating func append(_ shape: Shape) {
    switch shape {
    case .emptyStored: appendStored([])
    case .emptyFixed: appendFixed([], isLast: false)
    case .emptyDynamic: appendDynamic(literalLengths: Self.two, distanceLengths: [0], symbols: [])
    case .fullDynamic: appendDynamic(literalLengths: Self.all, distanceLengths: [0], symbols: [])
    case .literalStored: appendStored([0])
    case .literalFixed: appendFixed([0], isLast: false)
    case .literalDynamic: appendDynamic(literalLengths: Self.two, distanceLengths: [0], symbols: [0])
    }
  }

  /// A codeword of one bit each for the literal 0 and the end of the block.
  public static let two = [1] + [Int](repeating: 0, count: 255) + [1]
  /// 257 codewords of eight and nine bits: 255 · 2⁻⁸ + 2 · 2⁻⁹ = 1.
  private static let all = [Int](repeating: 8, count: 255) + [9, 9]

  // MARK: Bits and codes

  private mutating func append(_ value: Int, bitCount: Int) {
    for place in 0..<bitCount {
      if usedBitCount == 8 {
        octets.append(0)
        usedBitCount = 0
      }
      octets[octets.count - 1] |= UInt8(value >> place & 1) << UInt8(usedBitCount)
      usedBitCount += 1
    }
  }

  /// Codewords begin with their most significant bit.
  private mutating func append(code: Int, bitCount: Int) {
    for place in (0..<bitCount).reversed() { append(code >> place & 1, bitCount: 1) }
  }

  private struct Run {
    let symbol: Int
    var extra = 0
    var extraBitCount = 0
  }

  /// Lengths one by one, and zeros in runs.
  private static func runs(_ lengths: [Int]) -> [Run] {
    var runs: [Run] = []
    var rest = lengths[...]
    while let length = rest.first {
      let zeroCount = min(rest.prefix { $0 == 0 }.count, 138)
      if zeroCount >= 11 {
        runs.append(Run(symbol: 18, extra: zeroCount - 11, extraBitCount: 7))
        rest.removeFirst(zeroCount)
      } else {
        runs.append(Run(symbol: length))
        rest.removeFirst()
      }
    }
    return runs
  }

  /// Lengths of a complete code for the symbols that occur: 1, 2, 3 and so on, the last one twice.
  private static func codeLengths(_ symbols: [Int]) -> [Int] {
    var counts = [Int](repeating: 0, count: 19)
    for symbol in symbols { counts[symbol] += 1 }
    var used = counts.indices.filter { counts[$0] > 0 }.sorted { (-counts[$0], $0) < (-counts[$1], $1) }
    if used.count == 1 { used.append(used[0] == 0 ? 1 : 0) }
    var lengths = [Int](repeating: 0, count: 19)
    for (place, symbol) in used.enumerated() { lengths[symbol] = min(place + 1, used.count - 1) }
    return lengths
  }

  private static func codewords(_ lengths: [Int]) -> [Int] {
    var codewords = [Int](repeating: 0, count: lengths.count)
    var next = 0
    for length in 1...15 {
      next <<= 1
      for symbol in lengths.indices where lengths[symbol] == length {
        codewords[symbol] = next
        next += 1
      }
    }
    return codewords
  }

  private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
}
