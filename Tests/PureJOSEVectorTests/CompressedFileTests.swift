import PureCrypto
import PureJOSETestSupport
import StrictJSON
import Testing
import PureJOSEVectors

/// Files that gzip has compressed, and the keys of CCTV that come in such a file.
@Suite("Compressed files")
struct CompressedFileTests {
  /// What zlib makes of a file with two tests, named a.json.
  private static let compressed = """
    1f8b08080000000002ff612e6a736f6e006d8ecd6ac33010845fa5ecd905ebc7b6945b4f4d4f3db4b712c24a5ed92eb6152c
    395042debd6bd2400e4597d5ccecec77011cbbb80cb99f60071ffb9767090524dfd3842c7cc744c733f91c97743c8bcd8aeb
    e20976976b01f33a395adec327a59c6027598999d2cde421bf2e713df1ffeb02f9e7c45bb0c7d46f2d3ddecf5535dcc27f39
    ffd6c24e14e0e334d19c39c6a5fd30771c0b23765bec50c0943ab6586b878e977926e54aafb5b42678e185b6185cd0de585b
    0767a5960d9216a46b6d9d55daa3b695b5c235a692ce5415772d94d671eb3ae338b4702dee3cf29107e7a7e833e5ff80caf2
    11a926a54b677d084e35688df558694db5e3a3254adf185b8a56b1ab1a659ada5442a02a6bd1604076fe413af0fb05a9ad3f
    74b5010000
    """

  private static var octets: [UInt8] {
    let digits = compressed.compactMap(\.hexDigitValue).map { UInt8($0) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private func run(_ octets: [UInt8], _ name: String = "a.json.gz") -> VectorReport {
    VectorRunner.run(octets, fileName: name)
  }

  @Test("What zlib makes is read")
  func gzip() {
    let report = run(Self.octets)
    #expect(report.failures.isEmpty && report.passed == 2)
    // The first octets say it, whatever the name is.
    #expect(run(Self.octets, "a.json").passed == 2)
  }

  @Test("No octet may change, but those that say when, how and on what system")
  func changedOctet() {
    let octets = Self.octets
    for place in octets.indices {
      var changed = octets
      changed[place] ^= 0x20
      let report = run(changed)
      // Then comes the name, and the last octet of the stream has bits that it doesn't use.
      if (4..<16).contains(place) || place == octets.count - 9 {
        #expect(report.passed == 2, "octet \(place)")
      } else {
        #expect(report.executed == 0 && report.failures.map(\.testIdentifier) == [0], "octet \(place)")
      }
    }
  }

  @Test("A file that is cut says so, wherever it ends, and no octet may follow")
  func cutOff() {
    let octets = Self.octets
    for file in [octets, Gzipped([UInt8](repeating: 0x20, count: 300), flags: 0x0E, extra: [1, 0, 9, 0x61, 0]).octets] {
      for count in 0..<file.count {
        let report = run(Array(file.prefix(count)))
        #expect(
          report.executed == 0 && report.failures.map(\.reason) == ["the gzip file is cut off"], "\(count) octets")
        guard count > 0 else { continue }
        // So does one whose second member is cut.
        #expect(run(octets + file.prefix(count)).failures.map(\.reason) == ["the gzip file is cut off"])
      }
    }
    for more: [UInt8] in [[0], [0x1F, 0], Array("text".utf8)] {
      #expect(
        run(octets + more).failures.map(\.reason) == ["the gzip file has other octets behind its last member"])
    }
    #expect(run(Array("{}".utf8), "a.json.gz").failures.map(\.reason) == ["not a gzip file"])
  }

  @Test("Members of a file are one text", arguments: [1, 2, 3, 7, 40])
  func members(count: Int) {
    // Cut anywhere, in the middle of a word too, and with an empty member at the end.
    let text = Array(#"{"testGroups": [], "numberOfTests": 1, "a": "b"}"#.utf8)
    let size = (text.count + count - 1) / count
    let parts = stride(from: 0, to: text.count, by: size).map { Array(text[$0..<min($0 + size, text.count)]) }
    let whole = run(text, "a.json")
    #expect(!whole.failures.isEmpty)
    for ending: [UInt8] in [[], Gzipped([]).octets] {
      let file = parts.enumerated().flatMap { index, part in
        Gzipped(part, flags: index % 2 == 0 ? 0x0A : 0, extra: index % 2 == 0 ? [0x61, 0] : []).octets
      }
      #expect(run(file + ending).failures.map(\.reason) == whole.failures.map(\.reason))
    }
  }

  @Test("The checks of each member are made")
  func memberChecks() {
    let members = [Gzipped(Array("{".utf8)).octets, Gzipped(Array("}".utf8)).octets]
    #expect(run(members[0] + members[1]).skippedByReason == [VectorRunner.unknownForm: 1])
    for (index, member) in members.enumerated() {
      for place in (member.count - 9)..<member.count {
        var changed = members
        changed[index][place] ^= 1
        let reasons = run(changed[0] + changed[1]).failures.map(\.reason)
        #expect(reasons == ["the gzip file is damaged: its checks differ"], "octet \(place)")
      }
    }
    #expect(
      run([[UInt8]](repeating: Gzipped([]).octets, count: 1 << 16).flatMap { $0 } + Gzipped([]).octets)
        .failures.map(\.reason) == ["the gzip file has more than 65536 members"])
  }

  @Test("Every part of the header is read over, and its check is made")
  func header() {
    let content = Array("{}".utf8)
    let parts: [(flag: UInt8, octets: [UInt8])] = [
      (0x04, [3, 0, 1, 2, 3]), (0x08, Array("a.json".utf8) + [0]), (0x10, Array("a comment".utf8) + [0]),
    ]
    for chosen in 0..<8 {
      let used = parts.indices.filter { chosen >> $0 & 1 == 1 }.map { parts[$0] }
      let flags = used.reduce(1) { $0 | $1.flag }
      let file = Gzipped(content, flags: flags, extra: used.flatMap { $0.octets })
      #expect(run(file.octets).skippedByReason == [VectorRunner.unknownForm: 1], "flags \(flags)")
      let checked = Gzipped(content, flags: flags | 2, extra: used.flatMap { $0.octets })
      #expect(run(checked.octets).skippedByReason == [VectorRunner.unknownForm: 1], "flags \(flags | 2)")
      var wrong = checked.octets
      wrong[4] ^= 1
      #expect(run(wrong).failures.map(\.reason) == ["the gzip file is damaged: the check of its header differs"])
    }
    for flag: UInt8 in [0x20, 0x40, 0x80] {
      #expect(run(Gzipped(content, flags: flag).octets).failures.map(\.reason) == ["unknown form of gzip"])
    }
  }

  @Test("The stated length must be that of the content, and the content of all members has a limit")
  func lengths() {
    let content = Array("{}".utf8)
    for length: UInt32 in [0, 1, 3, 1 << 16, (64 << 20) + 1, .max] {
      let report = run(Gzipped(content, length: length).octets)
      #expect(report.failures.map(\.reason) == ["the gzip file is damaged: its checks differ"])
    }
    // A second member of blocks that aren't compressed, of 65,535 blanks each: 1,024 octets less than the limit.
    let block: [UInt8] = [0, 0xFF, 0xFF, 0, 0] + [UInt8](repeating: 0x20, count: 0xFFFF)
    var member: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    for _ in 0..<1024 { member += block }
    for (count, reason) in [(1024, "is cut off"), (1025, "holds more than 67108864 octets")] {
      let first = Gzipped([UInt8](repeating: 0x20, count: count)).octets
      #expect(run(first + member).failures.map(\.reason) == ["the gzip file \(reason)"])
    }
    #expect(run(member + block).failures.map(\.reason) == ["the gzip file holds more than 67108864 octets"])
  }

  // MARK: Keys that must be refused

  /// A key whose coefficients are all 4095.
  private func refused(_ parameterSet: MLKEMParameterSet) -> String {
    String(repeating: "f", count: 2 * parameterSet.publicKeyByteCount)
  }

  private func accepted(_ parameterSet: MLKEMParameterSet) throws -> String {
    let key = try MLKEMPrivateKey(parameterSet, seed: SecretBytes(copying: [UInt8](repeating: 0, count: 64)))
    return hexadecimal(key.publicKey.rawRepresentation)
  }

  private func keys(_ lines: [String], ending: String = "\n") -> [UInt8] {
    Array(lines.map { $0 + ending }.joined().utf8)
  }

  @Test("Each line is a test, compressed or not")
  func refusedKeys() {
    for parameterSet in [MLKEMParameterSet.mlKEM768, .mlKEM1024] {
      let text = keys([String](repeating: refused(parameterSet), count: 40))
      for report in [run(Gzipped(text).octets, "modulus.txt.gz"), run(text, "modulus.txt")] {
        #expect(report.failures.isEmpty && report.passed == 40)
      }
    }
    #expect(run(keys([refused(.mlKEM768)], ending: "\r\n"), "modulus.txt").passed == 1)
  }

  @Test("A key that keeps the rule fails, and so does a line of another length")
  func acceptedKey() throws {
    let (bad, good) = (refused(.mlKEM768), try accepted(.mlKEM768))
    let report = run(Gzipped(keys([bad, good, bad])).octets, "modulus.txt.gz")
    #expect(report.passed == 2)
    #expect(report.failures.map { "\($0.testIdentifier) \($0.reason)" } == ["2 is invalid but was accepted"])
    for line in [String(bad.dropLast(2)), String(bad.dropLast()), bad + "ff", "g" + bad.dropFirst()] {
      let report = run(keys([bad, line]), "modulus.txt")
      #expect(report.failures.map(\.testIdentifier) == [2] && report.passed == 1)
    }
  }

  @Test("Keys of ML-KEM-512 are skipped by name, and other texts are of an unknown form")
  func otherTexts() {
    let smaller = run(keys([String](repeating: "00", count: 1600).chunks(of: 800)), "modulus.txt")
    #expect(smaller.skippedByReason == ["ML-KEM-512 is not implemented": 2] && smaller.failures.isEmpty)
    for text in ["Hello", "00", "a = b", ""] {
      let report = run(Array(text.utf8), "a.txt")
      #expect(report.skippedByReason == [VectorRunner.unknownForm: 1] && report.failures.isEmpty, "\(text)")
    }
  }
}

extension [String] {
  /// Joins so many texts each.
  fileprivate func chunks(of count: Int) -> [String] {
    stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)].joined() }
  }
}

/// A member of a gzip file, whose stream has blocks without compression.
private struct Gzipped {
  let octets: [UInt8]

  /// - Parameters:
  ///   - flags: of the header; 2 adds the header's check.
  ///   - extra: what follows the fixed part of the header.
  ///   - length: what the trailer says, where it is not the length of the content.
  init(_ content: [UInt8], flags: UInt8 = 0, extra: [UInt8] = [], length: UInt32? = nil) {
    var file: [UInt8] = [0x1F, 0x8B, 8, flags, 0, 0, 0, 0, 0, 3] + extra
    if flags & 2 != 0 { file += Self.littleEndian(Self.checksum(file)).prefix(2) }
    let starts = Array(stride(from: 0, to: max(content.count, 1), by: 0xFFFF))
    for start in starts {
      let block = content[start..<min(start + 0xFFFF, content.count)]
      let count = UInt16(block.count)
      file.append(start == starts.last ? 1 : 0)
      for number in [count, ~count] { file += [UInt8(number & 0xFF), UInt8(number >> 8)] }
      file += block
    }
    file += Self.littleEndian(Self.checksum(content)) + Self.littleEndian(length ?? UInt32(content.count))
    octets = file
  }

  private static func littleEndian(_ number: UInt32) -> [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// CRC-32 as RFC 1952 has it, bit by bit.
  private static func checksum(_ octets: [UInt8]) -> UInt32 {
    var remainder = UInt32.max
    for octet in octets {
      remainder ^= UInt32(octet)
      for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1 }
    }
    return ~remainder
  }
}
