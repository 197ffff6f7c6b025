import StrictJSON

extension String {
  /// Whether two identifiers are the same but for a slash at the end, which makes them two.
  func differsByFinalSlash(from other: String) -> Bool {
    utf8.elementsEqual((other + "/").utf8) || other.utf8.elementsEqual((self + "/").utf8)
  }

  /// This string with ASCII letters in lower case and every other scalar unchanged.
  package var asciiLowercased: String {
    String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the other octets are the same, eight at a time. Not for secrets.
  func hasSameOctets(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var place = 0
    // Both have the same count, and loads end at place + 8 <= count.
    while count &- place >= 8 {
      guard
        unsafe loadUnaligned(fromByteOffset: place, as: UInt64.self)
          == other.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      else { return false }
      place &+= 8
    }
    while place < count {
      guard unsafe self[place] == other[place] else { return false }
      place &+= 1
    }
    return true
  }
}
