/// Whether two runs of bytes are the same, eight at a time.
@inline(__always)
func haveSameBytes(_ lhs: UnsafeBufferPointer<UInt8>, _ rhs: UnsafeBufferPointer<UInt8>) -> Bool {
  let count = lhs.count
  guard count == rhs.count else { return false }
  guard count > 0, let left = unsafe UnsafeRawPointer(lhs.baseAddress),
    let right = unsafe UnsafeRawPointer(rhs.baseAddress)
  else {
    return true
  }
  var offset = 0
  // Loads end at offset + 8 <= count.
  while offset &+ 8 <= count {
    let difference =
      unsafe left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      ^ right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    if difference != 0 { return false }
    offset &+= 8
  }
  while offset < count {
    if unsafe lhs[offset] != rhs[offset] { return false }
    offset &+= 1
  }
  return true
}

/// A word that runs of bytes have in common if they are the same: their first bytes, up to eight, and how many there
/// are.
@inline(__always)
func word(of bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
  let count = bytes.count
  // Each branch reads within the count that it has been chosen for.
  guard count > 0, let start = unsafe UnsafeRawPointer(bytes.baseAddress) else { return 0 }
  var word: UInt64
  if count >= 8 {
    word = unsafe start.loadUnaligned(as: UInt64.self)
  } else if count >= 4 {
    // The first four bytes and the last four.
    let last = unsafe start.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
    word = unsafe UInt64(start.loadUnaligned(as: UInt32.self)) &<< 32 | UInt64(last)
  } else {
    // One to three bytes: the first, the middle one and the last.
    word = unsafe UInt64(bytes[0]) &<< 16 | UInt64(bytes[count &>> 1]) &<< 8 | UInt64(bytes[count &- 1])
  }
  // An odd factor: what differs in length alone differs here.
  return word &+ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
}

/// A total order on names that puts equal ones side by side: shorter first, then by bytes.
private func precedesByLengthThenBytes(
  _ lhs: UnsafeBufferPointer<UInt8>, _ rhs: UnsafeBufferPointer<UInt8>
) -> Bool {
  // Both have the same count from here on.
  if lhs.count != rhs.count { return lhs.count < rhs.count }
  for index in 0..<lhs.count where unsafe lhs[index] != rhs[index] { return unsafe lhs[index] < rhs[index] }
  return false
}

/// Whether two of the names, each found through its index, are the same bytes. Reorders the indices.
///
/// Sorting bounds the work by n log n comparisons whatever the names are, without a hash that could be flooded.
func containsDuplicateName(
  _ indices: inout [UInt32], _ name: (UInt32) -> UnsafeBufferPointer<UInt8>
) -> Bool {
  indices.sort { unsafe precedesByLengthThenBytes(name($0), name($1)) }
  for position in indices.indices.dropFirst()
  where unsafe haveSameBytes(name(indices[position - 1]), name(indices[position])) {
    return true
  }
  return false
}

extension String {
  /// Calls `body` with the string's UTF-8 bytes.
  @inline(__always)
  func withUTF8Bytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    // `withUTF8` wants a copy, and so a reference more; it is for strings that another language made.
    unsafe utf8.withContiguousStorageIfAvailable(body) ?? withForeignUTF8Bytes(body)
  }

  @inline(never)
  private func withForeignUTF8Bytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    var copy = self
    return copy.withUTF8(body)
  }

  /// Whether the other string has the same UTF-8 bytes.
  ///
  /// Swift's `==` also takes canonically equivalent strings for equal: `é` in its two normal forms, or U+212A and `K`.
  func hasSameBytes(as other: String) -> Bool {
    unsafe withUTF8Bytes { mine in unsafe other.withUTF8Bytes { theirs in unsafe haveSameBytes(mine, theirs) } }
  }

  /// Feeds the string's UTF-8 bytes to the hasher. `hash(into:)` would normalise first, to agree with `==`.
  func hashBytes(into hasher: inout Hasher) {
    unsafe withUTF8Bytes { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }

  /// Whether this string comes before the other when both are compared by UTF-16 code units, as RFC 8785 §3.2.3 sorts.
  ///
  /// UTF-8 bytes order strings by code point. UTF-16 code units order them the same way, except that U+E000…U+FFFF
  /// (lead bytes EE, EF) come after the surrogates of U+10000… (lead bytes F0…F4). The first byte that differs
  /// tells: only lead bytes reach EE.
  func precedesByUTF16CodeUnits(_ other: String) -> Bool {
    unsafe withUTF8Bytes { mine in
      unsafe other.withUTF8Bytes { theirs in
        for index in 0..<min(mine.count, theirs.count) where unsafe mine[index] != theirs[index] {
          let (left, right) = unsafe (mine[index], theirs[index])
          if left >= 0xEE, right >= 0xEE, (left < 0xF0) != (right < 0xF0) { return left >= 0xF0 }
          return left < right
        }
        return mine.count < theirs.count
      }
    }
  }
}
