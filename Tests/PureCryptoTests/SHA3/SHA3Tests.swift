import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("SHA-3 and SHAKE")
struct SHA3Tests {
  private static let sizes: [(size: SHA3.Size, byteCount: Int)] = [(.bits256, 32), (.bits384, 48), (.bits512, 64)]

  /// Source: "Examples with Intermediate Values" of NIST, SHA3-256_Msg0, SHA3-384_Msg0, SHA3-512_Msg0.
  @Test("the empty message of NIST's examples")
  func standardExamples() throws {
    #expect(
      SHA3.hash([], .bits256) == (try hex("a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a")))
    #expect(
      SHA3.hash([], .bits384)
        == (try hex(
          "0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058d5f004")))
    #expect(
      SHA3.hash([], .bits512)
        == (try hex(
          "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a6"
            + "15b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26")))
  }

  @Test("lengths around the borders of blocks agree with the standard written out", arguments: sizes.indices)
  func lengths(index: Int) {
    let (size, byteCount) = Self.sizes[index]
    let rate = 200 - 2 * byteCount
    for count in [0, 1, 7, 8, 9, rate - 1, rate, rate + 1, 2 * rate] {
      let message = testBytes(count: count)
      let expected = SlowSHA3.hash(message, digestByteCount: byteCount)
      #expect(SHA3.hash(message, size) == expected, "\(size), \(count) bytes")
      let room = [UInt8](repeating: 0, count: byteCount)
      withGuardedBytes(message, room) { areas in
        var sponge = KeccakSponge.hash(digestByteCount: byteCount)
        sponge.update(UnsafeRawBufferPointer(areas[0]))
        var output = sponge.finalize()
        output.read(into: areas[1])
        #expect(Array(areas[1]) == expected, "\(size), \(count) bytes")
      }
    }
  }

  @Test("every length of output agrees with the standard written out")
  func outputs() {
    for count in [0, 135, 136, 167, 168] {
      let message = testBytes(count: count)
      for (start, strength) in [(SHAKE.shake128, 128), (.shake256, 256)] {
        var shake = start
        shake.update(message)
        let long = SlowSHA3.shake(message, strength: strength, byteCount: 400)
        for byteCount in 0...400 { #expect(shake.output(byteCount: byteCount) == Array(long[..<byteCount])) }
      }
    }
  }

  @Test("output comes in pieces as it does at once")
  func piecesOfOutput() {
    for sponge in [KeccakSponge.shake128, .shake256] {
      var sponge = sponge
      testBytes(count: 99).withUnsafeBytes { sponge.update($0) }
      let whole = sponge.output(byteCount: 1000)
      for size in [1, 3, 7, 8, 9, 136, 168, 333] {
        var output = sponge.finalize()
        var joined: [UInt8] = []
        while joined.count < 1000 {
          joined += withGuardedBytes([UInt8](repeating: 0, count: min(size, 1000 - joined.count))) { areas in
            output.read(into: areas[0])
            return Array(areas[0])
          }
        }
        #expect(joined == whole, "pieces of \(size)")
      }
    }
  }

  @Test("a message may be split anywhere, and a copy goes its own way")
  func splits() {
    let message = testBytes(count: 300)
    for (size, _) in Self.sizes {
      let whole = SHA3.hash(message, size)
      for first in 0...message.count {
        var hash = SHA3(size)
        hash.update(message[..<first])
        #expect(hash.finalize() == SHA3.hash(message[..<first], size))
        hash.update(message[first...])
        #expect(hash.finalize() == whole, "\(size), split at \(first)")
      }
      for piece in [1, 3, 7, 8, 9, 71, 72, 73, 136] {
        var hash = SHA3(size)
        for start in stride(from: 0, to: message.count, by: piece) {
          hash.update(message[start..<min(start + piece, message.count)])
        }
        #expect(hash.finalize() == whole, "\(size), pieces of \(piece)")
      }
    }
  }

  @Test("no output is asked for, or less than that")
  func emptyOutput() {
    #expect(SHAKE.shake256.output(byteCount: 0) == [])
    #expect(SHAKE.shake128.output(byteCount: -1) == [])
  }
}
