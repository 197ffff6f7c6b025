/// Marks the lowest of the eight bytes that a JSON string can't hold as it stands: `"`, `\`, control characters and,
/// if asked, bytes above 7F.
///
/// The result is 0 when there is none. Otherwise its lowest set bit is bit 7 of the first such byte; bits above that
/// one mean nothing, since a borrow may run into them.
@inline(__always)
func specialBytes(in word: UInt64, includingNonASCII: Bool) -> UInt64 {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let highBits = ones &* 0x80
  // x - 1 sets bit 7 of a byte x < 80 only when x = 0 (or a lower byte borrowed, and then that byte is marked).
  let quote = word ^ (ones &* 0x22)
  let backslash = word ^ (ones &* 0x5C)
  var marks = (quote &- ones) & ~quote
  marks |= (backslash &- ones) & ~backslash
  // x - 20 sets bit 7 of a byte x < 80 only when x < 20.
  marks |= (word &- ones &* 0x20) & ~word
  if includingNonASCII { marks |= word }
  return marks & highBits
}
