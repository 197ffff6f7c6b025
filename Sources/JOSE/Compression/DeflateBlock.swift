/// One block: its symbols, and the octets that they stand for.
struct DeflateBlock {
  private let symbols: [DeflateSymbol]
  private let content: ArraySlice<UInt8>

  init(symbols: [DeflateSymbol], content: ArraySlice<UInt8>) {
    (self.symbols, self.content) = (symbols, content)
  }

  /// Writes the shortest of the block's forms.
  func write(to writer: inout DeflateBitWriter, isLast: Bool) {
    var literalCounts = [Int](repeating: 0, count: DeflateSymbols.literalCount)
    var distanceCounts = [Int](repeating: 0, count: DeflateSymbols.distanceCount)
    var extraBits = 0
    literalCounts[DeflateSymbols.endOfBlock] = 1
    for symbol in symbols {
      switch symbol {
      case .literal(let octet): literalCounts[Int(octet)] += 1
      case .match(let length, let distance):
        let (length, distance) = (Self.lengthSymbol(length), Self.distanceSymbol(distance))
        literalCounts[257 + length] += 1
        distanceCounts[distance] += 1
        extraBits += DeflateSymbols.lengthExtraBits[length] + DeflateSymbols.distanceExtraBits(distance)
      }
    }
    func bits(_ literals: WrittenCode, _ distances: WrittenCode) -> Int {
      literals.bits(for: literalCounts) + distances.bits(for: distanceCounts) + extraBits
    }
    let own = OwnCodes(literalCounts: literalCounts, distanceCounts: distanceCounts)
    let ownBits = own.headerBits + bits(own.literals, own.distances)
    let fixedBits = bits(.fixedLiterals, .fixedDistances)
    // Each part but the first begins at a byte: at most 7 bits to fill one, 3 for the kind, 32 for the length.
    let storedBits = content.count * 8 + (content.count / 0xFFFF + 1) * 42
    if storedBits < min(ownBits, fixedBits) {
      writeStored(to: &writer, isLast: isLast)
    } else if fixedBits <= ownBits {
      writer.write(isLast ? 1 : 0, bitCount: 1)
      writer.write(1, bitCount: 2)
      writeSymbols(to: &writer, literals: .fixedLiterals, distances: .fixedDistances)
    } else {
      writer.write(isLast ? 1 : 0, bitCount: 1)
      writer.write(2, bitCount: 2)
      own.writeHeader(to: &writer)
      writeSymbols(to: &writer, literals: own.literals, distances: own.distances)
    }
  }

  /// Without compression, 65,535 octets at a time (§3.2.4).
  private func writeStored(to writer: inout DeflateBitWriter, isLast: Bool) {
    var rest = content
    repeat {
      let part = rest.prefix(0xFFFF)
      rest = rest.dropFirst(0xFFFF)
      writer.write(isLast && rest.isEmpty ? 1 : 0, bitCount: 1)
      writer.write(0, bitCount: 2)
      writer.fillByte()
      writer.write(part.count, bitCount: 16)
      writer.write(part.count ^ 0xFFFF, bitCount: 16)
      writer.append(part)
    } while !rest.isEmpty
  }

  private func writeSymbols(to writer: inout DeflateBitWriter, literals: WrittenCode, distances: WrittenCode) {
    for symbol in symbols {
      switch symbol {
      case .literal(let octet): literals.write(Int(octet), to: &writer)
      case .match(let length, let distance):
        let (lengthSymbol, distanceSymbol) = (Self.lengthSymbol(length), Self.distanceSymbol(distance))
        literals.write(257 + lengthSymbol, to: &writer)
        writer.write(
          length - DeflateSymbols.lengthBases[lengthSymbol], bitCount: DeflateSymbols.lengthExtraBits[lengthSymbol])
        distances.write(distanceSymbol, to: &writer)
        writer.write(
          distance - DeflateSymbols.distanceBases[distanceSymbol],
          bitCount: DeflateSymbols.distanceExtraBits(distanceSymbol))
      }
    }
    literals.write(DeflateSymbols.endOfBlock, to: &writer)
  }

  /// The symbol of a length, counted from 257.
  private static func lengthSymbol(_ length: Int) -> Int { lengthSymbols[length] }

  private static let lengthSymbols = (0...258).map { length in
    DeflateSymbols.lengthBases.lastIndex { $0 <= length } ?? 0
  }

  /// The symbol of a distance: from 3 on, twice the exponent of distance − 1 and its second bit.
  private static func distanceSymbol(_ distance: Int) -> Int {
    let value = distance - 1
    guard value > 1 else { return value }
    let exponent = Int.bitWidth - 1 - value.leadingZeroBitCount
    return 2 * exponent + value >> (exponent - 1) & 1
  }
}

/// The codes of one block, and what describes them (§3.2.7).
private struct OwnCodes {
  let literals: WrittenCode
  let distances: WrittenCode
  private let literalCount: Int
  private let distanceCount: Int
  private let lengthCount: Int
  private let lengthCode: WrittenCode
  /// The lengths of both codes: symbols of their own code, and the bits behind them.
  private let description: [(symbol: Int, extra: Int, extraBits: Int)]

  init(literalCounts: [Int], distanceCounts: [Int]) {
    literals = WrittenCode(lengths: CodeLengths.optimal(for: Self.completed(literalCounts), limit: 15))
    distances = WrittenCode(lengths: CodeLengths.optimal(for: distanceCounts, limit: 15))
    literalCount = max(257, (literals.lengths.lastIndex { $0 > 0 } ?? 0) + 1)
    distanceCount = (distances.lengths.lastIndex { $0 > 0 } ?? 0) + 1
    description = Self.runs(in: literals.lengths.prefix(literalCount) + distances.lengths.prefix(distanceCount))
    var counts = [Int](repeating: 0, count: 19)
    for entry in description { counts[entry.symbol] += 1 }
    let lengthCode = WrittenCode(lengths: CodeLengths.optimal(for: Self.completed(counts), limit: 7))
    self.lengthCode = lengthCode
    lengthCount = max(4, (DeflateSymbols.codeLengthOrder.lastIndex { lengthCode.lengths[$0] > 0 } ?? 0) + 1)
  }

  /// At least two symbols occur, since only distances may have an incomplete code.
  private static func completed(_ counts: [Int]) -> [Int] {
    var counts = counts
    if counts.count(where: { $0 > 0 }) == 1, let unused = counts.firstIndex(of: 0) { counts[unused] = 1 }
    return counts
  }

  /// Lengths, and runs of one: 16 repeats the last 3 to 6 times, 17 and 18 are 3 to 10 and 11 to 138 zeros.
  private static func runs(in lengths: ArraySlice<Int>) -> [(symbol: Int, extra: Int, extraBits: Int)] {
    var result: [(symbol: Int, extra: Int, extraBits: Int)] = []
    var rest = lengths
    while let length = rest.first {
      let run = rest.prefix { $0 == length }.count
      rest = rest.dropFirst(run)
      var left = run
      if length != 0 {
        result.append((length, 0, 0))
        left -= 1
      }
      while left >= 3 {
        let taken = min(left, length != 0 ? 6 : 138)
        if length != 0 {
          result.append((16, taken - 3, 2))
        } else if taken > 10 {
          result.append((18, taken - 11, 7))
        } else {
          result.append((17, taken - 3, 3))
        }
        left -= taken
      }
      result += Array(repeating: (length, 0, 0), count: left)
    }
    return result
  }

  var headerBits: Int {
    description.reduce(5 + 5 + 4 + 3 * lengthCount) { $0 + lengthCode.lengths[$1.symbol] + $1.extraBits }
  }

  func writeHeader(to writer: inout DeflateBitWriter) {
    writer.write(literalCount - 257, bitCount: 5)
    writer.write(distanceCount - 1, bitCount: 5)
    writer.write(lengthCount - 4, bitCount: 4)
    for symbol in DeflateSymbols.codeLengthOrder.prefix(lengthCount) {
      writer.write(lengthCode.lengths[symbol], bitCount: 3)
    }
    for entry in description {
      lengthCode.write(entry.symbol, to: &writer)
      writer.write(entry.extra, bitCount: entry.extraBits)
    }
  }
}

/// A canonical prefix code to write with (§3.2.2).
private struct WrittenCode {
  let lengths: [Int]
  /// The codeword of each symbol, its first bit least significant, as it is written.
  private let codewords: [Int]

  init(lengths: [Int]) {
    self.lengths = lengths
    var codewords = [Int](repeating: 0, count: lengths.count)
    var codeword = 0
    for length in 1...15 {
      codeword <<= 1
      for symbol in lengths.indices where lengths[symbol] == length {
        codewords[symbol] = (0..<length).reduce(0) { $0 << 1 | codeword >> $1 & 1 }
        codeword += 1
      }
    }
    self.codewords = codewords
  }

  static let fixedLiterals = WrittenCode(lengths: DeflateSymbols.fixedLiteralLengths)
  static let fixedDistances = WrittenCode(lengths: DeflateSymbols.fixedDistanceLengths)

  func write(_ symbol: Int, to writer: inout DeflateBitWriter) {
    writer.write(codewords[symbol], bitCount: lengths[symbol])
  }

  func bits(for counts: [Int]) -> Int { zip(counts, lengths).reduce(0) { $0 + $1.0 * $1.1 } }
}
