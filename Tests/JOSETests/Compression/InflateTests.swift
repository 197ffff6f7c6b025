import JOSE
import PureCrypto
import Testing

@Suite("DEFLATE, reading")
struct InflateTests {
  /// Streams of zlib's own making, at several levels, of texts that use each kind of block.
  static let examples: [(String, [UInt8])] = [
    ("AwA", []),
    ("S0xKTklNS8_IzMrOyc3LLygsKi4pLSuvqKwCAA", Array("abcdefghijklmnopqrstuvwxyz".utf8)),
    ("AQMA_P9hYmM", Array("abc".utf8)), ("S0yEAwA", Array(repeating: 0x61, count: 11)),
    ("S0wkFQAA", Array(repeating: 0x61, count: 50)),
    // With codes of its own.
    (
      "tcpXEYAwEABRK-cDNek9l97Uw6ABPnfeNi0gd8Mc0IIzgsQFtodUAYco0B725GzgqK63_pkJZVxIpY11PkRMudTWx1z7fCs3",
      Array(Array(repeating: "the quick brown fox jumps over the lazy dog; ", count: 3).joined().utf8)
        + Array(Array(repeating: "abcdefghijklmnopqrstuvwxyz", count: 4).joined().utf8)
    ),
  ]

  @Test("streams come out whole, up to their own length", arguments: InflateTests.examples)
  func streams(stream: String, text: [UInt8]) throws {
    let data = try Base64URL.decode(stream)
    #expect(try Inflate.decompress(data, byteLimit: text.count) == text)
    if !text.isEmpty {
      #expect(
        refusal { _ = try Inflate.decompress(data, byteLimit: text.count - 1) }
          == "limitExceeded(decompressedByteCount)")
    }
    // Cut anywhere, or followed by anything, it is no stream.
    for count in 0..<data.count {
      #expect(refusal { _ = try Inflate.decompress(Array(data.prefix(count)), byteLimit: 1000) } == "malformed(zip)")
    }
    #expect(refusal { _ = try Inflate.decompress(data + [0], byteLimit: 1000) } == "malformed(zip)")
  }

  @Test(
    "broken streams are malformed",
    arguments: [
      // A reserved block type, a stored length without its complement, a zlib header, a distance before the start.
      [0x07], [0x01, 0x03, 0x00, 0xFC, 0xFE, 1, 2, 3], [0x78, 0x9C, 0x03, 0x00, 0, 0, 0, 1], [0x03, 0x02, 0x00],
      // A dynamic block whose code of lengths is empty.
      [0x05, 0x00, 0x00, 0x00],
    ] as [[UInt8]])
  func broken(data: [UInt8]) {
    #expect(refusal { _ = try Inflate.decompress(data, byteLimit: 1000) } == "malformed(zip)")
  }

  @Test("random bytes never trap")
  func hostile() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let data = (0..<Int.random(in: 0...40, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator)
      }
      if let output = try? Inflate.decompress(data, byteLimit: 1000) { #expect(output.count <= 1000) }
    }
  }

  @Test("compression is refused unless a limit is set, and then read up to the limit")
  func token() throws {
    let jwk = JWK.generate(.a256gcm)
    let header = #"{"alg":"dir","enc":"A256GCM","zip":"DEF"}"#
    let token = try DirectToken.make(header: header, plaintext: Base64URL.decode("S0wkFQAA"), key: jwk)
    let key = try DecryptionKey(jwk)
    #expect(
      refusal { _ = try JWE.decrypt(token, with: key, contentEncryption: [.a256gcm]) } == "algorithmNotAllowed(zip)")
    var limits = Limits()
    limits.decompressedByteCount = 50
    let opened = try JWE.decrypt(token, with: key, contentEncryption: [.a256gcm], limits: limits)
    #expect(opened.plaintext == Array(repeating: 0x61, count: 50))
    limits.decompressedByteCount = 49
    #expect(
      refusal { _ = try JWE.decrypt(token, with: key, contentEncryption: [.a256gcm], limits: limits) }
        == "limitExceeded(decompressedByteCount)")
    let other = try DirectToken.make(
      header: header.replacing("DEF", with: "GZ"), plaintext: Base64URL.decode("S0wkFQAA"), key: jwk)
    #expect(
      refusal { _ = try JWE.decrypt(other, with: key, contentEncryption: [.a256gcm], limits: limits) }
        == "algorithmNotAllowed(zip)")
  }
}
