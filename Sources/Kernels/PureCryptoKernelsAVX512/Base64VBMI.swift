#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  // base64 by the permutations of AVX-512 VBMI: 48 octets and 64 characters are one vector each, and both tables lie in
  // registers, so that what is looked up decides no address.
  //
  // The way is that of W. Muła and D. Lemire, "Base64 encoding and decoding at almost the speed of a memory copy"
  // (2020), §3.

  private typealias Vector = SIMD8<Int64>

  /// Encodes octets without padding.
  /// - Parameter isForURLs: whether `-` and `_` stand for 62 and 63, and not `+` and `/`.
  /// - Parameter input: `count` readable bytes.
  /// - Parameter output: room for the characters of this many octets.
  ///
  /// The processor must have AVX-512 F, BW, VL and VBMI.
  ///
  /// Timing: depends on `count` and `isForURLs` only.
  package func base64EncodeVBMI(
    isForURLs: Bool, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, count: Int
  ) {
    // A … Z, a … z, 0 … 9 and two more, eight in a word.
    let alphabet = Vector(
      0x4847_4645_4443_4241, 0x504F_4E4D_4C4B_4A49, 0x5857_5655_5453_5251, 0x6665_6463_6261_5A59,
      0x6E6D_6C6B_6A69_6867, 0x7675_7473_7271_706F, 0x3332_3130_7A79_7877,
      isForURLs ? 0x5F2D_3938_3736_3534 : 0x2F2B_3938_3736_3534)
    var input = input
    var output = output
    var rest = count
    // 64 octets are read where 48 are meant.
    while rest >= 64 {
      output.storeBytes(of: characters(input.loadUnaligned(as: Vector.self), alphabet), as: Vector.self)
      input += 48
      output += 64
      rest &-= 48
    }
    while rest > 0 {
      let octetCount = min(rest, 48)
      let characterCount = (octetCount &* 4 &+ 2) / 3
      let octets = _mm512_maskz_loadu_epi8(lowest(octetCount), input)
      _mm512_mask_storeu_epi8(output, lowest(characterCount), characters(octets, alphabet))
      input += octetCount
      output += characterCount
      rest &-= octetCount
    }
  }

  /// Decodes unpadded characters.
  /// - Parameter input: `count` readable bytes; `count` is not 1 more than a multiple of 4.
  /// - Parameter output: room for the octets of this many characters.
  /// - Returns: other than zero if a character is not in the alphabet, or a bit is set that belongs to no octet.
  ///
  /// The processor must have AVX-512 F, BW, VL and VBMI.
  ///
  /// Timing: depends on `count` and `isForURLs` only.
  package func base64DecodeVBMI(
    isForURLs: Bool, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, count: Int
  ) -> UInt64 {
    // What the characters 0 … 63 and 64 … 127 stand for; 0x80 is nothing.
    let none = Int64(bitPattern: 0x8080_8080_8080_8080)
    let low = Vector(
      none, none, none, none, none,
      Int64(bitPattern: isForURLs ? 0x8080_3E80_8080_8080 : 0x3F80_8080_3E80_8080),
      0x3B3A_3938_3736_3534, Int64(bitPattern: 0x8080_8080_8080_3D3C))
    let high = Vector(
      0x0605_0403_0201_0080, 0x0E0D_0C0B_0A09_0807, 0x1615_1413_1211_100F,
      Int64(bitPattern: isForURLs ? 0x3F80_8080_8019_1817 : 0x8080_8080_8019_1817), 0x201F_1E1D_1C1B_1A80,
      0x2827_2625_2423_2221, 0x302F_2E2D_2C2B_2A29, Int64(bitPattern: 0x8080_8080_8033_3231))
    var wrong = Vector(repeating: 0)
    var unused: UInt64 = 0
    var input = input
    var output = output
    var rest = count
    // 64 octets are written where 48 are meant: at least 66 are to come.
    while rest >= 88 {
      let text = input.loadUnaligned(as: Vector.self)
      output.storeBytes(of: octets(text, low, high, &wrong), as: Vector.self)
      input += 64
      output += 48
      rest &-= 64
    }
    let zeros = Vector(repeating: 0x4141_4141_4141_4141)
    while rest > 0 {
      let characterCount = min(rest, 64)
      let octetCount = (characterCount &* 3) / 4
      let text = _mm512_mask_loadu_epi8(zeros, lowest(characterCount), input)
      let decoded = octets(text, low, high, &wrong)
      _mm512_mask_storeu_epi8(output, lowest(octetCount), decoded)
      // Beyond the octets lie what bits were left over, and zeros.
      unused |= _mm512_test_epi8_mask(decoded, decoded) & ~lowest(octetCount)
      input += characterCount
      output += octetCount
      rest &-= characterCount
    }
    return _mm512_movepi8_mask(wrong) | unused
  }

  /// A mask of the first lanes: 1 to 64 of them.
  @inline(__always)
  private func lowest(_ laneCount: Int) -> UInt64 { ~0 &>> UInt64(truncatingIfNeeded: 64 &- laneCount) }

  /// The characters of the first 48 octets.
  @inline(__always)
  private func characters(_ octets: Vector, _ alphabet: Vector) -> Vector {
    // Three octets a, b, c become the word b a c b, in which each run of six bits lies within 16.
    let places = Vector(
      0x0405_0304_0102_0001, 0x0A0B_090A_0708_0607, 0x1011_0F10_0D0E_0C0D, 0x1617_1516_1314_1213,
      0x1C1D_1B1C_191A_1819, 0x2223_2122_1F20_1E1F, 0x2829_2728_2526_2425, 0x2E2F_2D2E_2B2C_2A2B)
    let words = _mm512_permutexvar_epi8(places, octets)
    // From which bit of its pair of words each takes eight. The permutation looks at six of them.
    let values = _mm512_multishift_epi64_epi8(Vector(repeating: 0x3036_242A_1016_040A), words)
    return _mm512_permutexvar_epi8(values, alphabet)
  }

  /// The 48 octets of 64 characters, then zeros. A byte of `wrong` becomes negative for a foreign character.
  @inline(__always)
  private func octets(_ text: Vector, _ low: Vector, _ high: Vector, _ wrong: inout Vector) -> Vector {
    // By the seven low bits of a character; one with the eighth is foreign.
    let values = _mm512_permutex2var_epi8(low, text, high)
    wrong = _mm512_or_si512(wrong, _mm512_or_si512(values, text))
    // Twelve bits in each half of a word: a · 64 + b. Then 24: (a · 64 + b) · 4096 + (c · 64 + d).
    let halves = _mm512_maddubs_epi16(values, Vector(repeating: 0x0140_0140_0140_0140))
    let words = _mm512_madd_epi16(halves, Vector(repeating: 0x0001_1000_0001_1000))
    // The octets of a word from the third down. The highest one, which is zero, fills the rest.
    let places = Vector(
      0x090A_0405_0600_0102, 0x1610_1112_0C0D_0E08, 0x1C1D_1E18_191A_1415, 0x292A_2425_2620_2122,
      0x3630_3132_2C2D_2E28, 0x3C3D_3E38_393A_3435, 0x0303_0303_0303_0303, 0x0303_0303_0303_0303)
    return _mm512_permutexvar_epi8(places, words)
  }
#endif
