import PureJOSETestSupport
import Testing

@testable import PureCrypto

@Suite("Poly1305")
struct Poly1305Tests {
  private static let contribution = """
    Any submission to the IETF intended by the Contributor for publication as all or part of an IETF Internet-Draft or \
    RFC and any statement made within the context of an IETF activity is considered an "IETF Contribution". Such \
    statements include oral statements in IETF sessions, as well as written and electronic communications made at any \
    time or place, which are addressed to
    """
  private static let zeros = String(repeating: "00", count: 16)
  private static let ones = String(repeating: "ff", count: 16)

  /// r, s, message and tag: RFC 8439 §2.5.2, then A.3, numbers 1 to 11.
  static let figures: [(r: String, s: String, message: String, tag: String)] = [
    (
      "85d6be7857556d337f4452fe42d506a8", "0103808afb0db2fd4abff6af4149f51b",
      Hex.encode(Array("Cryptographic Forum Research Group".utf8)), "a8061dc1305136c6c22b8baf0c0127a9"
    ),
    (zeros, zeros, zeros + zeros + zeros + zeros, zeros),
    (
      zeros, "36e5f6b5c5e06070f0efca96227a863e", Hex.encode(Array(contribution.utf8)),
      "36e5f6b5c5e06070f0efca96227a863e"
    ),
    (
      "36e5f6b5c5e06070f0efca96227a863e", zeros, Hex.encode(Array(contribution.utf8)),
      "f3477e7cd95417af89a6b8794c310cf0"
    ),
    (
      "1c9240a5eb55d38af333888604f6b5f0", "473917c1402b80099dca5cbc207075c0",
      Hex.encode(
        Array(
          """
          'Twas brillig, and the slithy toves\nDid gyre and gimble in the wabe:\nAll mimsy were the borogoves,\nAnd the \
          mome raths outgrabe.
          """.utf8)),
      "4541669a7eaaee61e708dc7cbcc5eb62"
    ),
    ("02" + zeros.dropLast(2), zeros, ones, "03" + zeros.dropLast(2)),
    ("02" + zeros.dropLast(2), ones, "02" + zeros.dropLast(2), "03" + zeros.dropLast(2)),
    (
      "01" + zeros.dropLast(2), zeros, ones + "f0" + ones.dropLast(2) + "11" + zeros.dropLast(2),
      "05" + zeros.dropLast(2)
    ),
    (
      "01" + zeros.dropLast(2), zeros,
      ones + "fbfefefefefefefefefefefefefefefe" + "01010101010101010101010101010101", zeros
    ),
    ("02" + zeros.dropLast(2), zeros, "fd" + ones.dropLast(2), "fa" + ones.dropLast(2)),
    (
      "01000000000000000400000000000000", zeros,
      "e33594d7505e43b900000000000000003394d7505e4379cd010000000000000000000000000000000000000000000000"
        + "01000000000000000000000000000000", "14000000000000005500000000000000"
    ),
    (
      "01000000000000000400000000000000", zeros,
      "e33594d7505e43b900000000000000003394d7505e4379cd010000000000000000000000000000000000000000000000",
      "13000000000000000000000000000000"
    ),
  ]

  @Test(arguments: Backend.available) func `figures of the standard`(backend: Backend) throws {
    #expect(Self.figures.count == 12)
    for (index, figure) in Self.figures.enumerated() {
      let tag = try Self.tag(of: hex(figure.message), key: hex(figure.r + figure.s), backend: backend)
      #expect(Hex.encode(tag) == figure.tag, "\(index)")
    }
  }

  /// Octets whose blocks have limbs of ones and zeros, at every border of 26 and 44 bits.
  private static let patterns: [[UInt8]] = [
    [0xff], [0], [0x03, 0, 0, 0xfc], [0xff, 0xff, 0xff, 0x03], [0xfe, 0xff, 0xff, 0xff, 0xff, 0x0f, 0], [0x80, 0x7f],
    [0xfb] + [UInt8](repeating: 0xff, count: 15), [0xff] + [UInt8](repeating: 0, count: 14) + [0xff],
  ]

  @Test(arguments: [0, 16, 352, 368, 384, 400, 448, 511, 512, 640, 1023, 1024, 1100, 2065])
  func `largest and smallest limbs, in every lane, agree with integers of any size`(count: Int) throws {
    let keys = [
      [UInt8](repeating: 0xff, count: 32), [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
      [2] + [UInt8](repeating: 0, count: 15) + [UInt8](repeating: 0xff, count: 16), testBytes(count: 32, seed: 8),
    ]
    for key in keys {
      for pattern in Self.patterns {
        let message = (0..<count).map { pattern[$0 % pattern.count] }
        let expected = SlowChaChaPoly.tag(of: message, key: key)
        for backend in Backend.available {
          #expect(Self.tag(of: message, key: key, backend: backend) == expected, "\(backend)")
        }
      }
    }
  }

  @Test func `a sum of any kind is kept in parts as in one`() {
    let key = testBytes(count: 32, seed: 3)
    let message = testBytes(count: 4096, seed: 4)
    let expected = SlowChaChaPoly.tag(of: message, key: key)
    for backend in Backend.available {
      for first in stride(from: 0, through: 1024, by: 16) {
        #expect(Self.tag(of: message, parts: [first, 4096 - first], key: key, backend: backend) == expected)
      }
    }
  }

  static func tag(of message: [UInt8], key: [UInt8], backend: Backend) -> [UInt8] {
    tag(of: message, parts: [message.count], key: key, backend: backend)
  }

  /// The last part may end in a block that is not full, which has its own last bit. The construction with ChaCha20 has
  /// whole blocks only.
  private static func tag(of message: [UInt8], parts: [Int], key: [UInt8], backend: Backend) -> [UInt8] {
    withUnsafeTemporaryAllocation(byteCount: Poly1305.byteCount, alignment: 64) { memory in
      withGuardedBytes(message, key) { areas in
        let anywhere = UnsafeMutableRawPointer(bitPattern: 64).unsafelyUnwrapped
        let hash = Poly1305(
          key: areas[1].baseAddress ?? anywhere, memory: memory.baseAddress ?? anywhere, expecting: message.count,
          backend: backend)
        var start = areas[0].baseAddress ?? anywhere
        for part in parts {
          hash.update(start, count: part & ~15)
          start += part & ~15
        }
        let rest = message.count & 15
        if rest > 0 {
          let last = Array(message.suffix(rest)) + [1] + [UInt8](repeating: 0, count: 15 - rest)
          last.withUnsafeBytes { hash.update(blocks: $0.baseAddress ?? UnsafeRawPointer(anywhere), count: 1, top: 0) }
        }
        return withUnsafeBytes(of: hash.tag) { Array($0) }
      }
    }
  }
}
