/// A base64 alphabet: the standard one, or that of URLs, which differ in the last two characters.
///
/// No tables and no branches on a character, because private keys pass here in JWK and PEM.
///
/// A character c lies in lo...hi exactly when (lo − 1 − c) and (c − hi − 1) are both negative, so the sign bit of their
/// conjunction, spread by an arithmetic shift, is the mask of that range.
package struct Base64Alphabet: Sendable {
  /// The character of 62.
  let symbol62: UInt8
  /// The character of 63.
  let symbol63: UInt8

  /// `+` and `/`. Source: RFC 4648 §4.
  package static let standard = Base64Alphabet(symbol62: 0x2B, symbol63: 0x2F)

  /// `-` and `_`. Source: RFC 4648 §5.
  package static let url = Base64Alphabet(symbol62: 0x2D, symbol63: 0x5F)

  /// All ones if `character` is in `low...high`, else zero.
  /// - Parameter zero: ``opaqueZero()``, which makes it opaque to the compiler, as a ``Mask`` is; once for a text.
  @inline(__always)
  private func mask(_ character: Int32, _ low: Int32, _ high: Int32, _ zero: Int32) -> Int32 {
    ((low &- 1 &- character) & (character &- high &- 1)) &>> 31 ^ zero
  }

  /// The six bits of one character, or a negative number if it is not in the alphabet.
  @inline(__always)
  private func value(_ character: UInt8, _ zero: Int32) -> Int32 {
    let c = Int32(character)
    let upper = mask(c, 0x41, 0x5A, zero) & (c &- 0x41 &+ 1)
    let lower = mask(c, 0x61, 0x7A, zero) & (c &- 0x61 &+ 27)
    let digit = mask(c, 0x30, 0x39, zero) & (c &- 0x30 &+ 53)
    let plus = mask(c, Int32(symbol62), Int32(symbol62), zero) & 63
    let slash = mask(c, Int32(symbol63), Int32(symbol63), zero) & 64
    // One more than the value, so that "in no range" is the only way to get 0, and −1 after the subtraction.
    return (upper | lower | digit | plus | slash) &- 1
  }

  /// The character of six bits.
  @inline(__always)
  private func character(_ value: UInt8, _ zero: Int32) -> UInt8 {
    let v = Int32(value)
    let upper = mask(v, 0, 25, zero) & (v &+ 0x41)
    let lower = mask(v, 26, 51, zero) & (v &- 26 &+ 0x61)
    let digit = mask(v, 52, 61, zero) & (v &- 52 &+ 0x30)
    let plus = mask(v, 62, 62, zero) & Int32(symbol62)
    let slash = mask(v, 63, 63, zero) & Int32(symbol63)
    return UInt8(truncatingIfNeeded: upper | lower | digit | plus | slash)
  }

  /// Octets in `characterCount` unpadded characters, or nil if no octets have that many.
  package static func decodedCount(_ characterCount: Int) -> Int? {
    switch characterCount & 3 {
    case 0: characterCount / 4 * 3
    case 2: characterCount / 4 * 3 + 1
    case 3: characterCount / 4 * 3 + 2
    default: nil
    }
  }

  /// Characters for `byteCount` octets, without padding.
  package static func encodedCount(_ byteCount: Int) -> Int {
    byteCount / 3 * 4 + (byteCount % 3 == 0 ? 0 : byteCount % 3 + 1)
  }

  /// Decodes unpadded text into `output`, whose count is `decodedCount(text.count)`. False if a character is foreign or an unused bit is set.
  ///
  /// Timing: depends on lengths only.
  package func decode(_ text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
    var read = 0
    var written = 0
    // Bounds: eight octets are written where six are meant, so eight must be left.
    var foreignWords: UInt64 = 0
    while read &+ 8 <= text.count, written &+ 8 <= output.count {
      let characters = UInt64(bigEndian: text.loadUnaligned(fromByteOffset: read, as: UInt64.self))
      let bits = bits(characters, &foreignWords)
      output.storeBytes(of: (bits &<< 16).bigEndian, toByteOffset: written, as: UInt64.self)
      read &+= 8
      written &+= 6
    }
    let wrong = decodeRest(
      UnsafeRawBufferPointer(rebasing: text[read...]),
      into: UnsafeMutableRawBufferPointer(rebasing: output[written...]))
    return Mask(isZero: wrong | foreignWords).declassified
  }

  /// Decodes what the loop over words leaves, character by character. Out of line: the loop has the registers for itself.
  /// - Returns: other than zero if a character is foreign or an unused bit is set.
  @inline(never)
  private func decodeRest(_ text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> UInt64 {
    let zero = Int32(truncatingIfNeeded: opaqueZero())
    var foreign: Int32 = 0
    var read = 0
    var written = 0
    // Bounds: read + 4 ≤ text.count and written + 3 ≤ output.count, by decodedCount.
    while read &+ 4 <= text.count {
      let a = value(text[read], zero)
      let b = value(text[read &+ 1], zero)
      let c = value(text[read &+ 2], zero)
      let d = value(text[read &+ 3], zero)
      foreign |= a | b | c | d
      let word = a &<< 18 | b &<< 12 | c &<< 6 | d
      output[written] = UInt8(truncatingIfNeeded: word &>> 16)
      output[written &+ 1] = UInt8(truncatingIfNeeded: word &>> 8)
      output[written &+ 2] = UInt8(truncatingIfNeeded: word)
      read &+= 4
      written &+= 3
    }
    var unused: Int32 = 0
    switch text.count &- read {
    case 2:
      let a = value(text[read], zero)
      let b = value(text[read &+ 1], zero)
      foreign |= a | b
      unused = b & 0x0F
      output[written] = UInt8(truncatingIfNeeded: a &<< 2 | b &>> 4)
    case 3:
      let a = value(text[read], zero)
      let b = value(text[read &+ 1], zero)
      let c = value(text[read &+ 2], zero)
      foreign |= a | b | c
      unused = c & 0x03
      output[written] = UInt8(truncatingIfNeeded: a &<< 2 | b &>> 4)
      output[written &+ 1] = UInt8(truncatingIfNeeded: b &<< 4 | c &>> 2)
    default:
      break
    }
    // A negative value is that of a foreign character.
    return UInt64(UInt32(bitPattern: foreign &>> 31 | unused))
  }

  /// Encodes `bytes` without padding into `output`, whose count is `encodedCount(bytes.count)`.
  ///
  /// Timing: depends on lengths only.
  package func encode(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<UInt8>) {
    var read = 0
    var written = 0
    let characters = UnsafeMutableRawBufferPointer(output)
    // Bounds: eight octets are read where six are meant, so eight must be left; eight characters are written for six octets.
    while read &+ 8 <= bytes.count {
      let bits = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: read, as: UInt64.self)) &>> 16
      characters.storeBytes(of: self.characters(bits).bigEndian, toByteOffset: written, as: UInt64.self)
      read &+= 6
      written &+= 8
    }
    encodeRest(
      UnsafeRawBufferPointer(rebasing: bytes[read...]), into: UnsafeMutableBufferPointer(rebasing: output[written...]))
  }

  /// Encodes what the loop over words leaves, as ``decodeRest(_:into:)`` decodes it.
  @inline(never)
  private func encodeRest(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<UInt8>) {
    let zero = Int32(truncatingIfNeeded: opaqueZero())
    var read = 0
    var written = 0
    // Bounds: read + 3 ≤ bytes.count and written + 4 ≤ output.count, by encodedCount.
    while read &+ 3 <= bytes.count {
      let a = bytes[read]
      let b = bytes[read &+ 1]
      let c = bytes[read &+ 2]
      output[written] = character(a &>> 2, zero)
      output[written &+ 1] = character((a &<< 4 | b &>> 4) & 63, zero)
      output[written &+ 2] = character((b &<< 2 | c &>> 6) & 63, zero)
      output[written &+ 3] = character(c & 63, zero)
      read &+= 3
      written &+= 4
    }
    switch bytes.count &- read {
    case 1:
      let a = bytes[read]
      output[written] = character(a &>> 2, zero)
      output[written &+ 1] = character(a &<< 4 & 63, zero)
    case 2:
      let a = bytes[read]
      let b = bytes[read &+ 1]
      output[written] = character(a &>> 2, zero)
      output[written &+ 1] = character((a &<< 4 | b &>> 4) & 63, zero)
      output[written &+ 2] = character(b &<< 2 & 63, zero)
    default:
      break
    }
  }
}
