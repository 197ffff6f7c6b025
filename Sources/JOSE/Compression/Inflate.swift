/// DEFLATE, the reading half. ``Deflate`` writes what is public; of messages this package compresses none.
///
/// Strict: nothing may follow the last block but the unused bits of its last byte, codes must be complete, and
/// distances stay within what was written. It stops at the output limit while writing, so a small message can't become
/// a large one; and what is long for the little that it may hold, or made of blocks with next to nothing in them, is
/// refused, so that a large message can't be all work.
///
/// Timing: depends on the data, which was authenticated first but may be secret. A sender that compresses secrets has
/// accepted that.
/// Source: RFC 1951.
package enum Inflate {
  /// Decompresses a whole stream without any wrapper.
  ///
  /// - Throws: ``ErrorCode/malformed`` if the data is not exactly one DEFLATE stream,
  ///   ``ErrorCode/limitExceeded`` if it holds more than `byteLimit` octets, is longer than
  ///   ``longestStream(holding:)``, or has more blocks than its content can need.
  package static func decompress(_ data: [UInt8], byteLimit: Int) throws(JOSEError) -> [UInt8] {
    let byteLimit = max(byteLimit, 0)
    guard data.count <= longestStream(holding: byteLimit) else { throw tooLong }
    var inflater = Inflater(data, byteLimit: byteLimit)
    let content = try inflater.run()
    guard inflater.bits.isAtEnd else { throw malformed }
    return content
  }

  /// Decompresses a stream that has other octets around it, as in a file of gzip.
  ///
  /// - Parameter start: where the stream begins, at most the count of the data.
  /// - Returns: the content and where the stream ends; nil when the data ends before it.
  /// - Throws: As ``decompress(_:byteLimit:)``, except for the length of the stream.
  package static func decompress(
    _ data: [UInt8], from start: Int, byteLimit: Int
  ) throws(JOSEError) -> (content: [UInt8], end: Int)? {
    var inflater = Inflater(data, from: start, byteLimit: max(byteLimit, 0))
    do throws(JOSEError) {
      let content = try inflater.run()
      return (content, inflater.bits.place)
    } catch {
      guard inflater.bits.isCutOff else { throw error }
      return nil
    }
  }

  /// The greatest length of a stream that some compressor makes of this many octets.
  ///
  /// A compressor that weighs its choices takes for each block the shortest of three forms. Stored, it is the content
  /// and at most 5 octets (3 bits, padding, two lengths); under the fixed codes, at most 9 bits for each octet and 10
  /// for the block; a code of its own it takes where that is shorter still. So a block of n octets has at most
  /// min(n + 5, 9/8 n + 2) octets, which is n/8 + 2 more than its content up to 24 octets and 5 more beyond. The
  /// shortest blocks that a compressor ends by itself are those of zlib with the least memory, 127 symbols: 5 octets
  /// for each 127, less than n/25. An n/8 covers that and a compressor that only knows the fixed codes; an n/64 as in
  /// zlib's own bound, and a kibibyte for a writer that flushes (5 octets each time) a short text, are slack.
  static func longestStream(holding byteCount: Int) -> Int {
    let (length, overflow) = byteCount.addingReportingOverflow(byteCount / 8 + byteCount / 64 + 1024)
    return overflow ? .max : length
  }

  static var malformed: JOSEError {
    JOSEError(.malformed, "the compressed content is not a DEFLATE stream", name: "zip")
  }

  static var tooLong: JOSEError {
    JOSEError(.limitExceeded, "the content decompresses to too many octets", name: "decompressedByteCount")
  }

  static var tooManyBlocks: JOSEError {
    JOSEError(.limitExceeded, "the compressed content has more blocks than it needs", name: "zip")
  }
}

private struct Inflater {
  private(set) var bits: DeflateBits
  private var output: [UInt8] = []
  private let byteLimit: Int
  /// The codes of the current block, and what it takes to read them, if it has its own.
  private var literals = HuffmanCode()
  private var distances = HuffmanCode()
  private var lengthCode = HuffmanCode()
  private var lengths = [Int](
    repeating: 0, count: 19 + DeflateSymbols.literalCount + DeflateSymbols.distanceCount)

  /// How many octets of output all blocks so far should have brought.
  ///
  /// A block with codes of its own costs about as much as 64 octets, any other less than 16. A sender who puts less
  /// into them than that, in the long run, wants work done. Compressors put some thousand into one; writers that flush
  /// put a line into two.
  private var owedByteCount = 0
  private static let advanceByteCount = 2048

  init(_ data: [UInt8], from start: Int = 0, byteLimit: Int) {
    bits = DeflateBits(data, from: start)
    self.byteLimit = byteLimit
  }

  mutating func run() throws(JOSEError) -> [UInt8] {
    var isLast = false
    while !isLast {
      isLast = try bits.read(1) == 1
      let kind = try bits.read(2)
      owedByteCount += kind == 2 ? 64 : 16
      guard owedByteCount - output.count <= Self.advanceByteCount else { throw Inflate.tooManyBlocks }
      switch kind {
      case 0: try copyStored()
      case 1: try expand(literals: .fixedLiterals, distances: .fixedDistances)
      case 2:
        try readCodes()
        try expand(literals: literals, distances: distances)
      default: throw Inflate.malformed
      }
    }
    return output
  }

  @inline(__always)
  private func requireRoom(_ byteCount: Int) throws(JOSEError) {
    guard byteCount <= byteLimit &- output.count else { throw Inflate.tooLong }
  }

  /// A block without compression: LEN, its complement, and LEN bytes (§3.2.4).
  private mutating func copyStored() throws(JOSEError) {
    bits.skipToByte()
    let length = try bits.read(16)
    guard try bits.read(16) == length ^ 0xFFFF else { throw Inflate.malformed }
    try requireRoom(length)
    output += try bits.bytes(length)
  }

  /// Literals, and copies of what was written `distance` bytes ago (§3.2.5).
  private mutating func expand(literals: HuffmanCode, distances: HuffmanCode) throws(JOSEError) {
    while true {
      let symbol = try literals.decode(&bits)
      if symbol < 256 {
        try requireRoom(1)
        output.append(UInt8(truncatingIfNeeded: symbol))
        continue
      }
      if symbol == DeflateSymbols.endOfBlock { return }
      guard symbol < DeflateSymbols.literalCount else { throw Inflate.malformed }
      let length =
        DeflateSymbols.lengthBases[symbol - 257] + (try bits.read(DeflateSymbols.lengthExtraBits[symbol - 257]))
      let distanceSymbol = try distances.decode(&bits)
      guard distanceSymbol < DeflateSymbols.distanceCount else { throw Inflate.malformed }
      let distance =
        DeflateSymbols.distanceBases[distanceSymbol]
        + (try bits.read(DeflateSymbols.distanceExtraBits(distanceSymbol)))
      guard distance <= output.count else { throw Inflate.malformed }
      try requireRoom(length)
      // Source and target may overlap: byte by byte, what was just written is copied again.
      for _ in 0..<length { output.append(output[output.count &- distance]) }
    }
  }

  /// The code lengths of a block with codes of its own, themselves encoded (§3.2.7).
  private mutating func readCodes() throws(JOSEError) {
    let literalCount = try bits.read(5) + 257
    let distanceCount = try bits.read(5) + 1
    let lengthCount = try bits.read(4) + 4
    guard literalCount <= DeflateSymbols.literalCount, distanceCount <= DeflateSymbols.distanceCount else {
      throw Inflate.malformed
    }
    for index in 0..<19 { lengths[index] = 0 }
    for index in 0..<lengthCount { lengths[DeflateSymbols.codeLengthOrder[index]] = try bits.read(3) }
    try lengthCode.assign(lengths: lengths[..<19], allowsSingleCode: false)
    var place = 0
    while place < literalCount + distanceCount {
      let symbol = try lengthCode.decode(&bits)
      var (length, count) = (symbol, 1)
      switch symbol {
      case 0...15: break
      case 16:
        guard place > 0 else { throw Inflate.malformed }
        (length, count) = (lengths[place - 1], 3 + (try bits.read(2)))
      case 17: (length, count) = (0, 3 + (try bits.read(3)))
      default: (length, count) = (0, 11 + (try bits.read(7)))
      }
      // A run must not reach beyond the last code.
      guard count <= literalCount + distanceCount - place else { throw Inflate.malformed }
      for _ in 0..<count {
        lengths[place] = length
        place += 1
      }
    }
    // Without a code for its end the block has none.
    guard lengths[DeflateSymbols.endOfBlock] != 0 else { throw Inflate.malformed }
    try literals.assign(lengths: lengths[..<literalCount], allowsSingleCode: false)
    try distances.assign(lengths: lengths[literalCount..<literalCount + distanceCount], allowsSingleCode: true)
  }
}
