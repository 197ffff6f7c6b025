#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  // base64 by the permutations of AVX2: 24 octets and 32 characters are one vector each, and tables of sixteen octets
  // lie in registers, so that what is looked up decides no address. What is shorter than a vector is left to the
  // caller.
  //
  // The way is that of W. Muła and D. Lemire, "Faster base64 encoding and decoding using AVX2 instructions" (2018),
  // with tables that serve both alphabets.

  private typealias Vector = SIMD4<Int64>

  /// Encodes as many octets as fill vectors.
  /// - Parameter isForURLs: whether `-` and `_` stand for 62 and 63, and not `+` and `/`.
  /// - Parameter input: `count` readable bytes.
  /// - Parameter output: room for the characters of this many octets.
  /// - Returns: how many octets were encoded, a multiple of 24; less than 28 are left.
  ///
  /// The processor must have AVX2.
  ///
  /// Timing: depends on `count` and `isForURLs` only.
  package func base64EncodeAVX2(
    isForURLs: Bool, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, count: Int
  ) -> Int {
    // What is added to the values 52 … 61 in places 1 to 10, to 62 and 63 in 11 and 12, to 26 … 51 in 0, and to
    // 0 … 25 in 13.
    let offsets = both(
      Int64(bitPattern: 0xFCFC_FCFC_FCFC_FC47), isForURLs ? 0x0000_4120_EFFC_FCFC : 0x0000_41F0_EDFC_FCFC)
    var input = input
    var output = output
    var rest = count
    // 28 octets are read where 24 are meant.
    while rest >= 52 {
      let first = characters(input, offsets)
      let second = characters(input + 24, offsets)
      output.storeBytes(of: first, as: Vector.self)
      output.storeBytes(of: second, toByteOffset: 32, as: Vector.self)
      input += 48
      output += 64
      rest &-= 48
    }
    if rest >= 28 {
      output.storeBytes(of: characters(input, offsets), as: Vector.self)
      rest &-= 24
    }
    return count &- rest
  }

  /// Decodes as many characters as fill vectors.
  /// - Parameter input: `count` readable bytes.
  /// - Parameter output: room for the octets of this many characters.
  /// - Parameter wrong: becomes other than zero if one of these characters is not in the alphabet.
  /// - Returns: how many characters were decoded, a multiple of 32; less than 43 are left.
  ///
  /// The processor must have AVX2.
  ///
  /// Timing: depends on `count` and `isForURLs` only.
  package func base64DecodeAVX2(
    isForURLs: Bool, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, count: Int, wrong: inout UInt64
  ) -> Int {
    let tables = DecodingTables(isForURLs: isForURLs)
    var foreign = Vector(repeating: 0)
    var input = input
    var output = output
    var rest = count
    // 32 octets are written where 24 are meant: at least 8 more are to come, of 11 characters.
    while rest >= 75 {
      let first = octets(input.loadUnaligned(as: Vector.self), tables, &foreign)
      let second = octets(input.loadUnaligned(fromByteOffset: 32, as: Vector.self), tables, &foreign)
      output.storeBytes(of: first, as: Vector.self)
      output.storeBytes(of: second, toByteOffset: 24, as: Vector.self)
      input += 64
      output += 48
      rest &-= 64
    }
    if rest >= 43 {
      output.storeBytes(of: octets(input.loadUnaligned(as: Vector.self), tables, &foreign), as: Vector.self)
      rest &-= 32
    }
    wrong |= UInt64(bitPattern: foreign[0] | foreign[1] | foreign[2] | foreign[3])
    return count &- rest
  }

  /// Sixteen octets in each half, the first in the lowest place.
  @inline(__always)
  private func both(_ low: Int64, _ high: Int64) -> Vector { Vector(low, high, low, high) }

  @inline(__always)
  private func everywhere(_ octet: UInt8) -> Vector {
    Vector(repeating: Int64(bitPattern: 0x0101_0101_0101_0101 &* UInt64(octet)))
  }

  /// The characters of 24 octets. Four more are read.
  @inline(__always)
  private func characters(_ input: UnsafeRawPointer, _ offsets: Vector) -> Vector {
    let first = input.loadUnaligned(as: SIMD2<Int64>.self)
    let second = input.loadUnaligned(fromByteOffset: 12, as: SIMD2<Int64>.self)
    // Three octets a, b, c become the word b a c b.
    let words = _mm256_shuffle_epi8(
      Vector(first[0], first[1], second[0], second[1]), both(0x0405_0304_0102_0001, 0x0A0B_090A_0708_0607))
    // Products with powers of two are shifts: the first and third six bits down, the second and fourth up.
    let odd = _mm256_mulhi_epu16(
      _mm256_and_si256(words, Vector(repeating: 0x0FC0_FC00_0FC0_FC00)), Vector(repeating: 0x0400_0040_0400_0040))
    let even = _mm256_mullo_epi16(
      _mm256_and_si256(words, Vector(repeating: 0x003F_03F0_003F_03F0)), Vector(repeating: 0x0100_0010_0100_0010))
    let values = _mm256_or_si256(odd, even)
    // 0 for values to 51, 1 to 12 beyond; 13 in place of 0 for those to 25.
    let isUpper = _mm256_and_si256(_mm256_cmpgt_epi8(everywhere(26), values), everywhere(13))
    let places = _mm256_or_si256(_mm256_subs_epu8(values, everywhere(51)), isUpper)
    return _mm256_add_epi8(values, _mm256_shuffle_epi8(offsets, places))
  }

  /// What belongs to the halves of a character.
  private struct DecodingTables {
    /// By the upper half: one bit for each run of characters, 0x10 for none.
    let upper: Vector
    /// By the lower half: the bits of the runs that don't have it.
    let lower: Vector
    /// By the upper half what is added to a character; in place 0 what is added to `special`.
    let offsets: Vector
    /// The one character that has another offset than others with its upper half.
    let special: Vector

    @inline(__always)
    init(isForURLs: Bool) {
      // Upper halves 2 … 7. Letters of both cases share bits, but for 5 and 7 in the alphabet for URLs.
      upper = both(isForURLs ? 0x2004_0804_0201_1010 : 0x0804_0804_0201_1010, 0x1010_1010_1010_1010)
      // Of lower halves 2 has B and F, or D; 3 has 0 to 9; 4 and 6 have 1 to F; 5 and 7 have 0 to A, and 5 of URLs F.
      if isForURLs {
        lower = both(0x1111_1111_1111_1115, 0x333B_3A3B_3B13_1111)
        offsets = both(Int64(bitPattern: 0xB9B9_BFBF_0411_00E0), 0)
        special = everywhere(0x5F)
      } else {
        lower = both(0x1111_1111_1111_1115, 0x1A1B_1B1B_1A13_1111)
        offsets = both(Int64(bitPattern: 0xB9B9_BFBF_0413_0010), 0)
        special = everywhere(0x2F)
      }
    }
  }

  /// The 24 octets of 32 characters, then zeros. `foreign` becomes other than zero for a foreign character.
  @inline(__always)
  private func octets(_ text: Vector, _ tables: DecodingTables, _ foreign: inout Vector) -> Vector {
    let halfMask = everywhere(0x0F)
    let upperHalves = _mm256_and_si256(_mm256_srli_epi32(text, 4), halfMask)
    let upper = _mm256_shuffle_epi8(tables.upper, upperHalves)
    let lower = _mm256_shuffle_epi8(tables.lower, _mm256_and_si256(text, halfMask))
    foreign = _mm256_or_si256(foreign, _mm256_and_si256(upper, lower))
    let places = _mm256_andnot_si256(_mm256_cmpeq_epi8(text, tables.special), upperHalves)
    let values = _mm256_add_epi8(text, _mm256_shuffle_epi8(tables.offsets, places))
    // Twelve bits in each half of a word: a · 64 + b. Then 24: (a · 64 + b) · 4096 + (c · 64 + d).
    let pairs = _mm256_maddubs_epi16(values, Vector(repeating: 0x0140_0140_0140_0140))
    let words = _mm256_madd_epi16(pairs, Vector(repeating: 0x0001_1000_0001_1000))
    // The octets of a word from the third down, twelve in each half; then the two halves side by side.
    let halves = _mm256_shuffle_epi8(
      words, both(0x090A_0405_0600_0102, Int64(bitPattern: 0xFFFF_FFFF_0C0D_0E08)))
    return _mm256_permutevar8x32_epi32(
      halves, Vector(0x0000_0001_0000_0000, 0x0000_0004_0000_0002, 0x0000_0006_0000_0005, 0x0000_0007_0000_0003))
  }
#endif
