import PureCrypto
import PureJOSETestSupport
import Testing

@Suite("DER elements") struct DERReaderTests {
  /// Reads one element and returns its contents.
  func contents(_ text: String, _ tag: DERTag = .octetString) throws -> [UInt8] {
    try withContiguousBytes(hex(text)) { bytes throws(CryptoError) in
      var reader = DERReader(bytes)
      let element = try reader.read(tag)
      try reader.finish()
      return Array(element.bytes)
    }
  }

  func integer(_ text: String) throws -> [UInt8] {
    try withContiguousBytes(hex(text)) { bytes throws(CryptoError) in
      var reader = DERReader(bytes)
      return Array(try reader.readUnsignedInteger())
    }
  }

  @Test(arguments: [0, 1, 127, 128, 129, 255, 256, 65_535, 65_536, 70_000]) func lengthsBothWays(_ count: Int) throws {
    let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    var writer = DERWriter(capacity: 10)
    writer.primitive(.octetString, payload)
    #expect(try contents(Hex.encode(writer.bytes)) == payload)
    var nested = DERWriter(capacity: 10)
    nested.constructed(.sequence) { $0.primitive(.octetString, payload) }
    #expect(try contents(Hex.encode(nested.bytes), .sequence) == writer.bytes)
  }

  @Test func lengthOctets() throws {
    for (count, header) in [(127, "047f"), (128, "048180"), (255, "0481ff"), (256, "04820100"), (65_536, "0483010000")]
    {
      var writer = DERWriter(capacity: 10)
      writer.primitive(.octetString, [UInt8](repeating: 0, count: count))
      #expect(Hex.encode(writer.bytes).hasPrefix(header))
    }
  }

  @Test(arguments: [
    "", "04", "0401", "04810100", "0481" + "7f" + String(repeating: "00", count: 127), "048200010000", "0480000000",
    "04830000010000", "0484000000010000", "0488ffffffffffffffff", "04ff00", "0482ff00", "0483ffffff", "0400" + "00",
    "0500", "2400",
  ])
  func malformedElements(_ text: String) throws {
    #expect(throws: CryptoError(.malformedDER, "")) { try contents(text) }
  }

  @Test(arguments: [
    ("020100", ""), ("020101", "01"), ("02017f", "7f"), ("02020080", "80"), ("0203010000", "010000"),
    ("020900ffffffffffffffff", "ffffffffffffffff"),
  ])
  func integersBothWays(_ text: String, _ magnitude: String) throws {
    #expect(try integer(text) == hex(magnitude))
    var writer = DERWriter(capacity: 10)
    writer.unsignedInteger(try hex("0000" + magnitude))
    #expect(Hex.encode(writer.bytes) == text)
  }

  @Test(arguments: ["0200", "020180", "0201ff", "02020001", "0202007f", "02020000", "0202ffff", "03020001"])
  func malformedIntegers(_ text: String) throws {
    #expect(throws: CryptoError(.malformedDER, "")) { try integer(text) }
  }

  @Test func smallIntegers() throws {
    func version(_ text: String) throws -> UInt8 {
      try withContiguousBytes(hex(text)) { bytes throws(CryptoError) in
        var reader = DERReader(bytes)
        return try reader.readSmallInteger()
      }
    }
    #expect(try version("020100") == 0)
    #expect(try version("02017f") == 127)
    #expect(throws: CryptoError(.malformedDER, "")) { try version("02020080") }
    #expect(throws: CryptoError(.malformedDER, "")) { try version("02020100") }
  }

  @Test func bitStrings() throws {
    func string(_ text: String) throws -> [UInt8] {
      try withContiguousBytes(hex(text)) { bytes throws(CryptoError) in
        var reader = DERReader(bytes)
        return Array(try reader.readBitString())
      }
    }
    #expect(try string("0303000102") == [1, 2])
    #expect(try string("030100") == [])
    for text in ["0300", "03020180", "030207ff", "0302ff00", "040100"] {
      #expect(throws: CryptoError(.malformedDER, "")) { try string(text) }
    }
  }

  @Test func optionalElements() throws {
    let bytes = try hex("a0020500" + "0401ff")
    try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      var reader = DERReader(bytes)
      #expect(try reader.readOptional(.constructed(1)) == nil)
      #expect(reader.isNext(.constructed(0)))
      var wrapped = try reader.readOptional(.constructed(0))
      #expect(try wrapped?.read(.null).bytes.isEmpty == true)
      #expect(throws: CryptoError(.malformedDER, "")) { try reader.finish() }
      #expect(try Array(reader.read(.octetString).bytes) == [0xff])
      try reader.finish()
      #expect(throws: CryptoError(.malformedDER, "")) { try reader.read(.octetString) }
    }
  }
}
