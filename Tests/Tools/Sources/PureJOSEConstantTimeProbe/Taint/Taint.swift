import Glibc
import PureCrypto

/// Secrets that valgrind's memcheck follows, without a line of C: it takes memory that was allocated and never written
/// for undefined, and reports a jump or an address that depends on it.
enum Taint {
  /// What memcheck fills such memory with, by its option `--malloc-fill`.
  static let fill: UInt8 = 0x5A

  /// The same octets, as something that memcheck follows.
  ///
  /// Not optimised: reading memory that was never written means nothing to an optimiser that sees it.
  @inline(never) @_optimize(none)
  static func tainted(_ octets: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: octets.count)
    result.withUnsafeMutableBytes { taint($0, as: octets) }
    return result
  }

  /// Writes octets that memcheck follows.
  @inline(never) @_optimize(none)
  static func taint(_ output: UnsafeMutableRawBufferPointer, as octets: [UInt8]) {
    let memory = unwritten(byteCount: output.count)
    var index = 0
    while index < output.count {
      output[index] = memory[index] ^ fill ^ octets[index]
      index += 1
    }
    memory.deallocate()
  }

  @inline(never) @_optimize(none)
  private static func unwritten(byteCount: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
  }

  /// Ends the secrecy of a result, so that it can be compared: what the system has read is defined.
  ///
  /// memcheck reports the writing when the octets were tainted, and so proves that the taint came through to the
  /// result.
  @inline(never) @_optimize(none)
  static func published(_ octets: [UInt8]) -> [UInt8] {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { fatalError("no pipe") }
    defer {
      close(ends[0])
      close(ends[1])
    }
    var result = [UInt8](repeating: 0, count: octets.count)
    var start = 0
    while start < octets.count {
      // No more than a pipe holds, or this process would wait for itself.
      let count = min(4096, octets.count - start)
      let written = octets.withUnsafeBytes { write(ends[1], $0.baseAddress! + start, count) }
      let received = result.withUnsafeMutableBytes { read(ends[0], $0.baseAddress! + start, count) }
      guard written == count, received == count else { fatalError("the pipe is cut") }
      start += count
    }
    return result
  }

  /// Text of tainted octets. The standard library looks at each octet to see whether it is UTF-8; that happens in this
  /// function.
  @inline(never)
  static func text(_ octets: [UInt8]) -> String { String(decoding: octets, as: UTF8.self) }

  /// base64url of tainted octets as a JSON string, of which the characters beyond a multiple of eight are published.
  ///
  /// A parser that looks at eight characters at a time finds the quotation mark by arithmetic on the characters before
  /// it, so that to memcheck the length of the text would depend on these. It does not: none of them can be a quotation
  /// mark.
  static func jsonString(_ octets: some Collection<UInt8>) -> [UInt8] {
    let characters = base64URL(octets)
    let tail = characters.count & 7
    return [0x22] + characters.dropLast(tail) + published(Array(characters.suffix(tail))) + [0x22]
  }

  /// The text of octets, as JOSE writes it.
  static func base64URL(_ octets: some Collection<UInt8>) -> [UInt8] {
    let octets = Array(octets)
    var characters = [UInt8](repeating: 0, count: Base64Alphabet.encodedCount(octets.count))
    octets.withUnsafeBytes { octets in
      characters.withUnsafeMutableBufferPointer { Base64Alphabet.url.encode(octets, into: $0) }
    }
    return characters
  }

  /// Structured octets of which only the secrets' own are tainted: what stands beside them, a public key perhaps, is
  /// published.
  static func outline(_ octets: [UInt8], around secrets: [some Collection<UInt8>]) -> [UInt8] {
    var result = published(octets)
    for place in places(of: secrets, in: result) {
      for position in place { result[position] = octets[position] }
    }
    return result
  }

  /// PEM text of which only those groups of eight characters are tainted that are made of octets of the secrets alone.
  ///
  /// Encoder and decoder work on such groups, so that to memcheck the structure beside a secret in a group would depend
  /// on it.
  static func pem(_ text: String, around secrets: [some Collection<UInt8>]) throws -> String {
    let characters = Array(text.utf8)
    var result = published(characters)
    let lines = result.split(separator: 0x0A)
    let block = try PEMBlock(
      String(decoding: result, as: UTF8.self), labels: [.privateKey, .ecPrivateKey, .rsaPrivateKey])
    let contents = block.contents.withUnsafeBytes { Array($0) }
    for place in places(of: secrets, in: contents) {
      // Six octets are eight characters.
      let groups = (place.lowerBound + 5) / 6..<max((place.lowerBound + 5) / 6, place.upperBound / 6)
      for character in 8 * groups.lowerBound..<8 * groups.upperBound {
        let position = lines[0].count + 1 + character + character / 64
        result[position] = characters[position]
      }
    }
    return self.text(result)
  }

  /// Where the secrets, leading zeros apart, stand in public octets.
  private static func places(of secrets: [some Collection<UInt8>], in octets: [UInt8]) -> [Range<Int>] {
    secrets.compactMap { secret in
      let secret = Array(published(Array(secret)).drop { $0 == 0 })
      let start = octets.indices.first { octets[$0...].starts(with: secret) }
      return start.map { $0..<$0 + secret.count }
    }
  }
}
