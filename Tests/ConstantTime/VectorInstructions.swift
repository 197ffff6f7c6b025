// The instructions of AVX-512 that the kernels for long integers and P-256 use, as functions on eight lanes.
// `Tests/ConstantTime/taint --vectors` compiles the kernels with these in place of the processor's, which valgrind
// can't decode. No target holds this file.

typealias Lanes = SIMD8<Int64>

@inline(__always)
private func map(_ body: (_ lane: Int) -> UInt64) -> Lanes {
  var result = Lanes.zero
  for lane in 0..<8 { result[lane] = Int64(bitPattern: body(lane)) }
  return result
}

@inline(__always)
private func word(_ a: Lanes, _ lane: Int) -> UInt64 { UInt64(bitPattern: a[lane]) }

/// All ones for a lane that the mask has.
@inline(__always)
private func kept(_ mask: UInt8, _ lane: Int) -> UInt64 { 0 &- (UInt64(mask) &>> UInt64(lane) & 1) }

private let digits: UInt64 = 1 << 52 - 1

@inline(__always)
private func product(_ a: Lanes, _ b: Lanes, _ lane: Int) -> UInt128 {
  UInt128(word(a, lane) & digits) &* UInt128(word(b, lane) & digits)
}

func _mm512_add_epi64(_ a: Lanes, _ b: Lanes) -> Lanes { map { word(a, $0) &+ word(b, $0) } }
func _mm512_sub_epi64(_ a: Lanes, _ b: Lanes) -> Lanes { map { word(a, $0) &- word(b, $0) } }
func _mm512_and_si512(_ a: Lanes, _ b: Lanes) -> Lanes { map { word(a, $0) & word(b, $0) } }
func _mm512_andnot_si512(_ a: Lanes, _ b: Lanes) -> Lanes { map { ~word(a, $0) & word(b, $0) } }
func _mm512_or_si512(_ a: Lanes, _ b: Lanes) -> Lanes { map { word(a, $0) | word(b, $0) } }
func _mm512_xor_si512(_ a: Lanes, _ b: Lanes) -> Lanes { map { word(a, $0) ^ word(b, $0) } }

func _mm512_madd52lo_epu64(_ sum: Lanes, _ a: Lanes, _ b: Lanes) -> Lanes {
  map { word(sum, $0) &+ (UInt64(truncatingIfNeeded: product(a, b, $0)) & digits) }
}

func _mm512_madd52hi_epu64(_ sum: Lanes, _ a: Lanes, _ b: Lanes) -> Lanes {
  map { word(sum, $0) &+ UInt64(truncatingIfNeeded: product(a, b, $0) &>> 52) }
}

// The counts of shifts are public and below 64.
func _mm512_slli_epi64(_ a: Lanes, _ count: UInt32) -> Lanes { map { word(a, $0) &<< UInt64(count) } }
func _mm512_srli_epi64(_ a: Lanes, _ count: UInt32) -> Lanes { map { word(a, $0) &>> UInt64(count) } }
func _mm512_srai_epi64(_ a: Lanes, _ count: UInt32) -> Lanes { map { UInt64(bitPattern: a[$0] &>> Int64(count)) } }
func _mm512_srlv_epi64(_ a: Lanes, _ counts: Lanes) -> Lanes { map { word(a, $0) &>> word(counts, $0) } }

func _mm512_maskz_srli_epi64(_ mask: UInt8, _ a: Lanes, _ count: UInt32) -> Lanes {
  map { kept(mask, $0) & (word(a, $0) &>> UInt64(count)) }
}

func _mm512_maskz_mov_epi64(_ mask: UInt8, _ a: Lanes) -> Lanes { map { kept(mask, $0) & word(a, $0) } }

func _mm512_test_epi64_mask(_ a: Lanes, _ b: Lanes) -> UInt8 {
  var mask: UInt64 = 0
  for lane in 0..<8 {
    let both = word(a, lane) & word(b, lane)
    mask |= ((both | (0 &- both)) &>> 63) &<< UInt64(lane)
  }
  return UInt8(truncatingIfNeeded: mask)
}

// Which lanes are taken is public: an index that a secret decides is reported here.
func _mm512_permutexvar_epi64(_ places: Lanes, _ a: Lanes) -> Lanes { map { word(a, Int(places[$0] & 7)) } }

func _mm512_maskz_permutexvar_epi64(_ mask: UInt8, _ places: Lanes, _ a: Lanes) -> Lanes {
  map { kept(mask, $0) & word(a, Int(places[$0] & 7)) }
}

func _mm512_permutex2var_epi64(_ a: Lanes, _ places: Lanes, _ b: Lanes) -> Lanes {
  map { lane in
    let place = Int(places[lane] & 15)
    return place < 8 ? word(a, place) : word(b, place - 8)
  }
}

func _mm512_unpacklo_epi64(_ a: Lanes, _ b: Lanes) -> Lanes { map { $0 & 1 == 0 ? word(a, $0) : word(b, $0 - 1) } }
func _mm512_unpackhi_epi64(_ a: Lanes, _ b: Lanes) -> Lanes { map { $0 & 1 == 0 ? word(a, $0 + 1) : word(b, $0) } }
