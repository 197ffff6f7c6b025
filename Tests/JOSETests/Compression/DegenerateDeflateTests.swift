import JOSE
import PureJOSEBenchmarking
import Testing

/// Streams that are long, or full of blocks, for what they hold.
@Suite("DEFLATE streams that hold little")
struct DegenerateDeflateTests {
  private func verdict(_ data: [UInt8], _ byteLimit: Int) -> String {
    refusal { _ = try Inflate.decompress(data, byteLimit: byteLimit) }
  }

  @Test("a stream longer than any sensible encoding of the allowed length is refused")
  func length() throws {
    for limit in [0, 1, 100, 10_000] {
      let longest = limit + limit / 8 + limit / 64 + 1024
      // Nothing but a reserved block: what is judged is the length.
      #expect(verdict([UInt8](repeating: 0xFF, count: longest), limit) == "malformed(zip)")
      #expect(verdict([UInt8](repeating: 0xFF, count: longest + 1), limit) == "limitExceeded(decompressedByteCount)")
    }
    for limit in [Int.max, .max - 1, .max / 8] { #expect(verdict([0xFF], limit) == "malformed(zip)") }
    for limit in [Int.min, -1] {
      #expect(verdict([0x03, 0x00], limit) == "accepted")
      #expect(verdict([UInt8](repeating: 0xFF, count: 2000), limit) == "limitExceeded(decompressedByteCount)")
    }
  }

  @Test("a stream of small stored blocks or of literals alone is read", arguments: [1, 127, 5000, 65_535])
  func stored(blockByteCount: Int) throws {
    let text = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var stream = DeflateStream()
    for start in stride(from: 0, to: text.count, by: max(blockByteCount, 100)) {
      stream.appendStored(Array(text[start..<min(start + max(blockByteCount, 100), text.count)]))
    }
    stream.appendFixed([], isLast: true)
    #expect(try Inflate.decompress(stream.octets, byteLimit: text.count) == text)
    // Nine bits for each octet, in one block.
    var literals = DeflateStream()
    literals.appendFixed([UInt8](repeating: 0xFF, count: 20_000), isLast: true)
    #expect(
      try Inflate.decompress(literals.octets, byteLimit: 20_000) == [UInt8](repeating: 0xFF, count: 20_000))
  }

  @Test("a stream with a flush after each line and empty blocks at its end is read")
  func flushes() throws {
    let line = Array("a line of sixty-four octets, which is what some writers flush at\n".utf8)
    var stream = DeflateStream()
    var text: [UInt8] = []
    for _ in 0..<500 {
      stream.appendFixed(line, isLast: false)
      stream.appendStored([])
      text += line
    }
    for end in 0..<3 {
      var ended = stream
      for _ in 0..<end { ended.appendStored([]) }
      ended.appendFixed([], isLast: true)
      #expect(try Inflate.decompress(ended.octets, byteLimit: text.count) == text)
    }
  }

  @Test("a stream with many nearly empty blocks is refused", arguments: DeflateStream.Shape.allCases)
  func blocks(shape: DeflateStream.Shape) throws {
    // Within the length that the limit allows, and with less in it than blocks of this number hold.
    let few = DeflateStream.repeating(shape, byteCount: 150).octets
    #expect(verdict(few, 1 << 20) == "accepted")
    let many = DeflateStream.repeating(shape, byteCount: 1 << 20).octets
    #expect(verdict(many, 1 << 20) == "limitExceeded(zip)")
    #expect(verdict(many, .max) == "limitExceeded(zip)")
    #expect(verdict(many, 1000) == "limitExceeded(decompressedByteCount)")
  }
}
