import PureCrypto
import PureJOSETestSupport
import Testing

@testable import JOSE

@Suite("DEFLATE, writing")
struct DeflateTests {
  /// Octets that look like chance, and are the same each time.
  static func octets(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }

  static let contents: [(String, [UInt8])] = [
    ("nothing", []), ("one octet", [7]), ("two", [7, 7]), ("three alike", [7, 7, 7]),
    ("zeros", [UInt8](repeating: 0, count: 70_000)),
    ("chance", octets(70_000, seed: 1)),
    ("two values by chance", octets(100_000, seed: 2).map { $0 & 1 }),
    ("bits set here and there", octets(50_000, seed: 3).map { $0 == 0 ? 0x10 : 0 }),
    ("all octets in turn", (0..<70_000).map { UInt8($0 & 0xFF) }),
    ("a repetition at the window's far end", octets(32_768, seed: 4) + octets(32_768, seed: 4)),
    ("a repetition just beyond the window", octets(32_769, seed: 5) + octets(32_769, seed: 5)),
    ("a text", Array(String(repeating: "what is revoked is refused within one ttl; ", count: 700).utf8)),
    ("text, then chance", Array(String(repeating: "abc", count: 9000).utf8) + octets(90_000, seed: 6)),
  ]

  @Test("what is written is read as the same", arguments: contents)
  func roundTrip(_ name: String, _ content: [UInt8]) throws {
    let stream = Deflate.compress(content)
    #expect(try Inflate.decompress(stream, byteLimit: content.count) == content)
    #expect(stream.count <= Inflate.longestStream(holding: content.count))
    #expect(try Zlib.decompress(Zlib.compress(content), byteLimit: content.count) == content)
  }

  @Test("runs of every length around the longest match are read as the same")
  func runs() throws {
    for count in Array(1...20) + Array(250...270) + Array(510...522) {
      let content = [9] + [UInt8](repeating: 1, count: count) + [9]
      #expect(try Inflate.decompress(Deflate.compress(content), byteLimit: 2000) == content)
    }
  }

  @Test("what can't be compressed is stored, in as many parts as it takes")
  func stored() throws {
    for count in [65_535, 65_536, 131_070, 131_071] {
      let content = Self.octets(count, seed: UInt64(count))
      let stream = Deflate.compress(content)
      #expect(try Inflate.decompress(stream, byteLimit: count) == content)
      #expect(stream.count <= count + 5 * (count / 32_768 + 2))
    }
  }

  @Test("a block of more octets than one part can have is stored in several, the last of which ends the stream")
  func parts() throws {
    let content = Self.octets(131_071, seed: 8)
    #expect(try Inflate.decompress(Self.written(content, blocks: 2), byteLimit: 300_000) == content + content)
  }

  /// Blocks of these octets, without any match.
  private static func written(_ content: [UInt8], blocks: Int = 1) -> [UInt8] {
    var writer = DeflateBitWriter()
    for block in 1...blocks {
      DeflateBlock(symbols: content.map(DeflateSymbol.literal), content: content[...])
        .write(to: &writer, isLast: block == blocks)
    }
    return writer.finished()
  }

  @Test("codewords are no longer than a block can say, where the best code has longer ones")
  func limits() throws {
    // The end of the block occurs once, literals as often as Fibonacci's other numbers: the best code has 22 bits.
    let skewed = Self.fibonacci(23).dropFirst().enumerated()
      .flatMap { [UInt8](repeating: UInt8($0), count: $1) }
    // So many literals with codewords of so many bits, 0 for none: the lengths themselves are as skewed, and since
    // they are mixed, no run of them is left out.
    let lengths = [(1, 1), (3, 2), (4, 3), (7, 5), (9, 8), (12, 13), (13, 21), (15, 67), (0, 34)]
    let mixed = lengths.flatMap { bits, count in (0..<count).map { (Double(2 * $0 + 1) / Double(count), bits) } }
      .sorted { $0 < $1 }
    let ofLengths = mixed.enumerated().flatMap { octet, entry in
      [UInt8](repeating: UInt8(octet), count: entry.1 == 0 ? 0 : 1 << (15 - entry.1))
    }
    for content in [skewed, ofLengths] {
      let stream = Self.written(content)
      #expect(try Inflate.decompress(stream, byteLimit: content.count) == content)
      #expect(stream.count < content.count / 2)
    }
  }

  /// The first of Fibonacci's numbers, which make the longest codes.
  private static func fibonacci(_ count: Int) -> [Int] {
    var numbers = [1, 1]
    while numbers.count < count { numbers.append(numbers[numbers.count - 1] + numbers[numbers.count - 2]) }
    return numbers
  }

  /// A list of 2¹⁸ bits, of which about one in so many is set.
  static func sparse(_ part: UInt32) -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: 1 << 15)
    for index in 0..<1 << 18 {
      var mixed = UInt32(index) &* 2_654_435_761
      mixed = (mixed ^ mixed >> 15) &* 2_246_822_519
      mixed ^= mixed >> 13
      if UInt64(mixed) < (1 << 32) / UInt64(part) { octets[index / 8] |= 1 << (index % 8) }
    }
    return octets
  }

  @Test(
    "lists are at most 2 % longer than zlib makes them at its slowest",
    arguments: [(10_000, 146), (1000, 582), (100, 3664), (10, 18_453), (2, 32_784)])
  func length(_ part: UInt32, _ zlib: Int) throws {
    let content = Self.sparse(part)
    let compressed = Zlib.compress(content)
    #expect(compressed.count <= zlib + zlib / 50)
    #expect(try Zlib.decompress(compressed, byteLimit: content.count) == content)
  }

  @Test("codes are complete, within their limit, and the best there are")
  func codes() {
    var generator = SeededGenerator(seed: 7)
    let others = (0..<200).map { _ in
      (0..<Int.random(in: 2...286, using: &generator)).map { _ in Int.random(in: 0...40, using: &generator) }
    }
    for counts in [Self.fibonacci(30), [1, 1], [5, 0, 0, 5], [Int](repeating: 1, count: 286)] + others {
      guard counts.count(where: { $0 > 0 }) > 1 else { continue }
      for limit in [9, 15, 40] where counts.count <= 1 << limit {
        let lengths = CodeLengths.optimal(for: counts, limit: limit)
        #expect(lengths.allSatisfy { $0 <= limit })
        #expect(zip(counts, lengths).allSatisfy { ($0 == 0) == ($1 == 0) })
        // The sum of 2⁻ˡ is 1.
        #expect(lengths.reduce(0) { $1 == 0 ? $0 : $0 + 1 << (40 - $1) } == 1 << 40)
        if limit == 40 { #expect(zip(counts, lengths).reduce(0) { $0 + $1.0 * $1.1 } == Self.huffman(counts)) }
      }
    }
    #expect(CodeLengths.optimal(for: [0, 3, 0], limit: 15) == [0, 1, 0])
    #expect(CodeLengths.optimal(for: [0, 0], limit: 15) == [0, 0])
  }

  /// The bits that Huffman's own way takes: two of the least weights become one, as often as there are two.
  private static func huffman(_ counts: [Int]) -> Int {
    var (weights, bits) = (counts.filter { $0 > 0 }.sorted(), 0)
    while weights.count > 1 {
      let sum = weights[0] + weights[1]
      bits += sum
      weights.removeFirst(2)
      weights.insert(sum, at: weights.firstIndex { $0 >= sum } ?? weights.count)
    }
    return bits
  }

  @Test("a frame of zlib has its method, its window, no dictionary, and the content that its checksum is of")
  func frames() throws {
    let content = Array("status".utf8)
    let frame = Zlib.compress(content)
    func verdict(_ header: [UInt8]) -> String {
      refusal { _ = try Zlib.decompress(header + frame.dropFirst(2), byteLimit: 100) }
    }
    // All but the last two are multiples of 31.
    #expect(verdict([0x78, 0xDA]) == "accepted" && verdict([0x08, 0x1D]) == "accepted")
    for header: [UInt8] in [[0x77, 0x09], [0x70, 0x03], [0x88, 0x1C], [0x78, 0x20], [0x78, 0xDB], [0x78, 0x00]] {
      #expect(verdict(header) == "malformed(zip)", "\(header)")
    }
    for count in frame.indices {
      #expect(refusal { _ = try Zlib.decompress(Array(frame.prefix(count)), byteLimit: 100) } == "malformed(zip)")
    }
    #expect(refusal { _ = try Zlib.decompress(frame + [0], byteLimit: 100) } == "malformed(zip)")
    for place in frame.indices.suffix(4) {
      var changed = frame
      changed[place] ^= 1
      #expect(refusal { _ = try Zlib.decompress(changed, byteLimit: 100) } == "malformed(zip)")
    }
  }

  @Test("zlib's checksum is that of RFC 1950, also where sums are reduced")
  func checksum() {
    #expect(Zlib.adler32([]) == 1)
    #expect(Zlib.adler32(Array("Wikipedia".utf8)) == 0x11E6_0398)
    #expect(Zlib.adler32([UInt8](repeating: 255, count: 100_000)) == 0x149A_302C)
  }
}
