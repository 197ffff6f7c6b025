/// DEFLATE, the reading half only: this package never compresses.
///
/// Strict: nothing may follow the last block but the unused bits of its last byte, codes must be complete, and distances stay within what was
/// written. It stops at the output limit while writing, so a small message can't become a large one.
///
/// Timing: depends on the data, which was authenticated first but may be secret. Whoever compresses secrets has accepted that.
/// Source: RFC 1951.
package enum Inflate {
  /// Decompresses a whole stream without any wrapper.
  ///
  /// - Throws: ``JOSEErrorCode/malformed`` if the data is not exactly one DEFLATE stream, ``JOSEErrorCode/limitExceeded`` if it holds more than
  ///   `byteLimit` octets.
  package static func decompress(_ data: [UInt8], byteLimit: Int) throws(JOSEError) -> [UInt8] {
    var inflater = Inflater(data, byteLimit: byteLimit)
    return try inflater.run()
  }

  static var malformed: JOSEError {
    JOSEError(.malformed, "the compressed content is not a DEFLATE stream", name: "zip")
  }
}

private struct Inflater {
  private var bits: DeflateBits
  private var output: [UInt8] = []
  private let byteLimit: Int

  init(_ data: [UInt8], byteLimit: Int) {
    bits = DeflateBits(data)
    self.byteLimit = byteLimit
  }

  mutating func run() throws(JOSEError) -> [UInt8] {
    var isLast = false
    while !isLast {
      isLast = try bits.read(1) == 1
      switch try bits.read(2) {
      case 0: try copyStored()
      case 1: try expand(literals: .fixedLiterals, distances: .fixedDistances)
      case 2:
        let (literals, distances) = try readCodes()
        try expand(literals: literals, distances: distances)
      default: throw Inflate.malformed
      }
    }
    guard bits.isAtEnd else { throw Inflate.malformed }
    return output
  }

  private mutating func append(_ byte: UInt8) throws(JOSEError) {
    guard output.count < byteLimit else {
      throw JOSEError(.limitExceeded, "the content decompresses to too many octets", name: "decompressedByteCount")
    }
    output.append(byte)
  }

  /// A block without compression: LEN, its complement, and so many bytes (§3.2.4).
  private mutating func copyStored() throws(JOSEError) {
    bits.skipToByte()
    let length = try bits.read(16)
    guard try bits.read(16) == length ^ 0xFFFF else { throw Inflate.malformed }
    for _ in 0..<length { try append(UInt8(truncatingIfNeeded: try bits.read(8))) }
  }

  /// Literals, and copies of what was written `distance` bytes ago (§3.2.5).
  private mutating func expand(literals: HuffmanCode, distances: HuffmanCode) throws(JOSEError) {
    while true {
      let symbol = try literals.decode(&bits)
      if symbol < 256 {
        try append(UInt8(truncatingIfNeeded: symbol))
        continue
      }
      if symbol == 256 { return }
      guard symbol < 286 else { throw Inflate.malformed }
      let length = Self.lengthBases[symbol - 257] + (try bits.read(Self.lengthExtraBits[symbol - 257]))
      let distanceSymbol = try distances.decode(&bits)
      guard distanceSymbol < 30 else { throw Inflate.malformed }
      let distance =
        Self.distanceBases[distanceSymbol] + (try bits.read(distanceSymbol < 4 ? 0 : distanceSymbol / 2 - 1))
      guard distance <= output.count else { throw Inflate.malformed }
      // Source and target may overlap: byte by byte, what was just written is copied again.
      for _ in 0..<length { try append(output[output.count - distance]) }
    }
  }

  /// The code lengths of a block with codes of its own, themselves encoded (§3.2.7).
  private mutating func readCodes() throws(JOSEError) -> (HuffmanCode, HuffmanCode) {
    let literalCount = try bits.read(5) + 257
    let distanceCount = try bits.read(5) + 1
    let lengthCount = try bits.read(4) + 4
    guard literalCount <= 286, distanceCount <= 30 else { throw Inflate.malformed }
    var lengthLengths = [Int](repeating: 0, count: 19)
    for index in 0..<lengthCount { lengthLengths[Self.lengthOrder[index]] = try bits.read(3) }
    let lengthCode = try HuffmanCode(lengths: lengthLengths, allowsSingleCode: false)
    var lengths: [Int] = []
    while lengths.count < literalCount + distanceCount {
      let symbol = try lengthCode.decode(&bits)
      switch symbol {
      case 0...15: lengths.append(symbol)
      case 16:
        guard let previous = lengths.last else { throw Inflate.malformed }
        lengths += repeatElement(previous, count: 3 + (try bits.read(2)))
      case 17: lengths += repeatElement(0, count: 3 + (try bits.read(3)))
      default: lengths += repeatElement(0, count: 11 + (try bits.read(7)))
      }
    }
    // A run must not reach beyond the last code, and without a code for its end the block has none.
    guard lengths.count == literalCount + distanceCount, lengths[256] != 0 else { throw Inflate.malformed }
    return (
      try HuffmanCode(lengths: Array(lengths[..<literalCount]), allowsSingleCode: false),
      try HuffmanCode(lengths: Array(lengths[literalCount...]), allowsSingleCode: true)
    )
  }

  private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
  private static let lengthBases = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
  ]
  private static let lengthExtraBits = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  private static let distanceBases = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
    8193, 12289, 16385, 24577,
  ]
}
