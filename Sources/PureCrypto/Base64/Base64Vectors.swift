internal import Builtin

// Sixteen characters at a time, for every processor: SSE2 and NEON have all of these instructions. Comparisons give all
// ones or zero in each lane; no jump can follow a single one of them. The first octet of a word is its lowest, as on
// every processor that Swift has.
//
// One file holds it all: a debug build inlines nothing from another.

extension Base64Alphabet {
  /// Encodes octets without padding.
  ///
  /// Timing: depends on lengths only.
  /// - Parameter output: `encodedCount(bytes.count)` octets.
  func encodeByVectors(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
    guard let input = bytes.baseAddress, let output = output.baseAddress else { return }
    let symbols = EncodingSymbols(self)
    var read = 0
    var written = 0
    // Bounds: 13 octets are read where 12 are meant, so 13 must be left; 16 characters are written for 12 octets.
    while read &+ 13 <= bytes.count {
      output.storeBytes(of: symbols.characters(input + read).lanes, toByteOffset: written, as: SIMD16<UInt8>.self)
      read &+= 12
      written &+= 16
    }
    let rest = bytes.count &- read
    guard rest > 0 else { return }
    // At most 12 octets, with zeros behind them.
    var last = SIMD16<UInt8>(repeating: 0)
    withUnsafeMutableBytes(of: &last) { last in
      guard let start = last.baseAddress else { return }
      start.copyMemory(from: input + read, byteCount: rest)
      let characters = symbols.characters(start)
      last.storeBytes(of: characters.lanes, as: SIMD16<UInt8>.self)
      (output + written).copyMemory(from: start, byteCount: Base64Alphabet.encodedCount(rest))
      wipe(last)
    }
  }

  /// Decodes unpadded text.
  ///
  /// Timing: depends on lengths only.
  /// - Parameter output: `decodedCount(text.count)` octets.
  /// - Returns: other than zero if a character is foreign or an unused bit is set.
  func decodeByVectors(_ text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> UInt64 {
    guard let input = text.baseAddress, let output = output.baseAddress else { return 0 }
    let symbols = DecodingSymbols(self)
    var known = Octets(repeating: 0xFF)
    var read = 0
    var written = 0
    while read &+ 16 <= text.count {
      let (first, last) = symbols.octets(input.loadUnaligned(fromByteOffset: read, as: SIMD16<UInt8>.self), &known)
      output.storeBytes(of: first, toByteOffset: written, as: UInt64.self)
      output.storeBytes(of: last, toByteOffset: written &+ 8, as: UInt32.self)
      read &+= 16
      written &+= 12
    }
    var unused: UInt64 = 0
    let rest = text.count &- read
    if rest > 0, let octetCount = Base64Alphabet.decodedCount(rest) {
      // Filled up with A, which stands for zeros: then all beyond the octets must be zero.
      var filled = SIMD16<UInt8>(repeating: 0x41)
      withUnsafeMutableBytes(of: &filled) { filled in
        guard let start = filled.baseAddress else { return }
        start.copyMemory(from: input + read, byteCount: rest)
        let (first, last) = symbols.octets(start.load(as: SIMD16<UInt8>.self), &known)
        filled.storeBytes(of: first, as: UInt64.self)
        filled.storeBytes(of: last, toByteOffset: 8, as: UInt32.self)
        (output + written).copyMemory(from: start, byteCount: octetCount)
        for place in octetCount..<12 { unused |= UInt64(filled[place]) }
        wipe(filled)
      }
    }
    let halves = unsafeBitCast(known.lanes, to: SIMD2<UInt64>.self)
    return ~(halves[0] & halves[1]) | unused
  }
}

/// What is added for 62 and 63 when all values have had what belongs to digits.
private struct EncodingSymbols {
  private let plus: Octets
  private let slash: Octets

  @inline(__always)
  init(_ alphabet: Base64Alphabet) {
    // 62 has become 62 + 65 + 6 − 75 = 58, and 63 has become 59.
    plus = Octets(repeating: alphabet.symbol62 &- 58)
    slash = Octets(repeating: alphabet.symbol63 &- 59)
  }

  /// The characters of twelve octets. A thirteenth is read.
  @inline(__always)
  func characters(_ octets: UnsafeRawPointer) -> Octets {
    // Three octets in each 32 bits, the first in the lowest place.
    let groups = Octets(
      SIMD4(
        octets.loadUnaligned(as: UInt32.self), octets.loadUnaligned(fromByteOffset: 3, as: UInt32.self),
        octets.loadUnaligned(fromByteOffset: 6, as: UInt32.self),
        octets.loadUnaligned(fromByteOffset: 9, as: UInt32.self)))
    let values =
      groups.shiftedRight(2, 0x3F) | groups.shiftedLeft(12, 0x3000) | groups.shiftedRight(4, 0x0F00)
      | groups.shiftedLeft(10, 0x003C_0000) | groups.shiftedRight(6, 0x0003_0000) | groups.shiftedLeft(8, 0x3F00_0000)
    // 0 … 25 ↦ +65, 26 … 51 ↦ +71, 52 … 61 ↦ −4.
    return values + Octets(repeating: 65) + (values.isAbove(25) & Octets(repeating: 6))
      + (values.isAbove(51) & Octets(repeating: 0 &- 75))
      + (values.isEqual(Octets(repeating: 62)) & plus) + (values.isEqual(Octets(repeating: 63)) & slash)
  }
}

/// The characters of 62 and 63, and what is added to them.
private struct DecodingSymbols {
  private let plus: Octets
  private let slash: Octets
  private let plusValue: Octets
  private let slashValue: Octets

  @inline(__always)
  init(_ alphabet: Base64Alphabet) {
    plus = Octets(repeating: alphabet.symbol62)
    slash = Octets(repeating: alphabet.symbol63)
    plusValue = Octets(repeating: 62 &- alphabet.symbol62)
    slashValue = Octets(repeating: 63 &- alphabet.symbol63)
  }

  /// The octets of sixteen characters, in the order of memory. A lane of `known` becomes zero for a foreign one.
  @inline(__always)
  func octets(_ text: SIMD16<UInt8>, _ known: inout Octets) -> (first: UInt64, last: UInt32) {
    let text = Octets(text)
    // Comparisons are of signed numbers, and characters above 127 are below all others.
    let isUpper = text.isAbove(0x40) & text.isBelow(0x5B)
    let isLower = text.isAbove(0x60) & text.isBelow(0x7B)
    let isDigit = text.isAbove(0x2F) & text.isBelow(0x3A)
    let isPlus = text.isEqual(plus)
    let isSlash = text.isEqual(slash)
    known = known & (isUpper | isLower | isDigit | isPlus | isSlash)
    let values =
      text + (isUpper & Octets(repeating: 0 &- 65)) + (isLower & Octets(repeating: 0 &- 71))
      + (isDigit & Octets(repeating: 4)) + (isPlus & plusValue) + (isSlash & slashValue)
    // Four values in each 32 bits, the first in the lowest place, become three octets.
    let groups =
      values.shiftedLeft(2, 0xFC) | values.shiftedRight(12, 0x03) | values.shiftedLeft(4, 0xF000)
      | values.shiftedRight(10, 0x0F00) | values.shiftedLeft(6, 0x00C0_0000) | values.shiftedRight(8, 0x003F_0000)
    let halves = groups.words
    let low = halves[0] & 0xFF_FFFF | halves[0] &>> 8 & 0xFFFF_FF00_0000
    let high = halves[1] & 0xFF_FFFF | halves[1] &>> 8 & 0xFFFF_FF00_0000
    return (low | high &<< 48, UInt32(truncatingIfNeeded: high &>> 16))
  }
}

/// Sixteen octets, or four words of 32 bits whose lowest octet is the first.
private struct Octets {
  var lanes: SIMD16<UInt8>

  @inline(__always)
  init(_ lanes: SIMD16<UInt8>) { self.lanes = lanes }

  @inline(__always)
  init(_ words: SIMD4<UInt32>) { lanes = unsafeBitCast(words, to: SIMD16<UInt8>.self) }

  @inline(__always)
  init(repeating octet: UInt8) { lanes = SIMD16(repeating: octet) }

  @inline(__always)
  var words: SIMD2<UInt64> { unsafeBitCast(lanes, to: SIMD2<UInt64>.self) }

  @inline(__always)
  static func & (lhs: Octets, rhs: Octets) -> Octets {
    var result = lhs
    result.lanes._storage._value = Builtin.and_Vec16xInt8(lhs.lanes._storage._value, rhs.lanes._storage._value)
    return result
  }

  @inline(__always)
  static func | (lhs: Octets, rhs: Octets) -> Octets {
    var result = lhs
    result.lanes._storage._value = Builtin.or_Vec16xInt8(lhs.lanes._storage._value, rhs.lanes._storage._value)
    return result
  }

  /// Lane by lane, without carries between them.
  @inline(__always)
  static func + (lhs: Octets, rhs: Octets) -> Octets {
    var result = lhs
    result.lanes._storage._value = Builtin.add_Vec16xInt8(lhs.lanes._storage._value, rhs.lanes._storage._value)
    return result
  }

  /// All ones in each lane that is above a number, as signed numbers.
  @inline(__always)
  func isAbove(_ number: UInt8) -> Octets { Octets.mask(self, isAbove: Octets(repeating: number)) }

  /// All ones in each lane that is below a number, as signed numbers.
  @inline(__always)
  func isBelow(_ number: UInt8) -> Octets { Octets.mask(Octets(repeating: number), isAbove: self) }

  @inline(__always)
  private static func mask(_ lhs: Octets, isAbove rhs: Octets) -> Octets {
    var result = lhs
    result.lanes._storage._value = Builtin.sext_Vec16xInt1_Vec16xInt8(
      Builtin.cmp_sgt_Vec16xInt8(lhs.lanes._storage._value, rhs.lanes._storage._value))
    return result
  }

  /// All ones in each lane that is the same as the other's.
  @inline(__always)
  func isEqual(_ other: Octets) -> Octets {
    var result = self
    result.lanes._storage._value = Builtin.sext_Vec16xInt1_Vec16xInt8(
      Builtin.cmp_eq_Vec16xInt8(lanes._storage._value, other.lanes._storage._value))
    return result
  }

  /// The words shifted to the left, with some bits kept.
  @inline(__always)
  func shiftedLeft(_ count: UInt32, _ kept: UInt32) -> Octets {
    var words = unsafeBitCast(lanes, to: SIMD4<UInt32>.self)
    words._storage._value = Builtin.shl_Vec4xInt32(words._storage._value, SIMD4(repeating: count)._storage._value)
    return Octets(words) & Octets(SIMD4(repeating: kept))
  }

  /// The words shifted to the right, with some bits kept.
  @inline(__always)
  func shiftedRight(_ count: UInt32, _ kept: UInt32) -> Octets {
    var words = unsafeBitCast(lanes, to: SIMD4<UInt32>.self)
    words._storage._value = Builtin.lshr_Vec4xInt32(words._storage._value, SIMD4(repeating: count)._storage._value)
    return Octets(words) & Octets(SIMD4(repeating: kept))
  }
}
