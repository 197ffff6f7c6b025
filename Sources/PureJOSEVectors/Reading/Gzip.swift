import JOSE

/// Reads files that gzip has compressed: all members, both checks of each, and no more octets than a limit.
///
/// Source: RFC 1952 §2.2, §2.3.
enum Gzip {
  private static let magic: [UInt8] = [0x1F, 0x8B]
  /// More than programs write that compress a file in blocks of 64 KiB.
  private static let maximumMemberCount = 1 << 16
  private static let cutOff = VectorFault.malformed("the gzip file is cut off")

  /// Whether octets begin as such a file does.
  static func recognizes(_ octets: [UInt8]) -> Bool { octets.starts(with: magic) }

  /// The content of a file: that of its members, one after the other.
  /// - Throws: ``VectorFault/malformed(_:)`` when the file is damaged, is cut off or holds more than `byteLimit`
  ///   octets.
  static func decompress(_ octets: [UInt8], byteLimit: Int) throws(VectorFault) -> [UInt8] {
    var content: [UInt8] = []
    var place = 0
    for _ in 0..<maximumMemberCount {
      content += try member(octets, &place, byteLimit: byteLimit, before: content.count)
      if place == octets.count { return content }
    }
    throw .malformed("the gzip file has more than \(maximumMemberCount) members")
  }

  /// The content of the next member.
  ///
  /// - Parameter count: how much content the members before it have.
  private static func member(
    _ octets: [UInt8], _ place: inout Int, byteLimit: Int, before count: Int
  ) throws(VectorFault) -> [UInt8] {
    let start = try headerEnd(octets, from: place)
    let stream: (content: [UInt8], end: Int)?
    do throws(JOSEError) {
      stream = try Inflate.decompress(octets, from: start, byteLimit: byteLimit - count)
    } catch {
      guard error.name != "decompressedByteCount" else {
        throw .malformed("the gzip file holds more than \(byteLimit) octets")
      }
      throw .malformed("the gzip file is damaged: \(error.code)")
    }
    // Behind the stream stand the checksum and the length of the content, four octets each.
    guard let (content, end) = stream, octets.count - end >= 8 else { throw cutOff }
    place = end + 8
    let (checksum, length) = (littleEndian(octets[end..<(end + 4)]), littleEndian(octets[(end + 4)..<place]))
    guard length == UInt32(truncatingIfNeeded: content.count), CRC32.checksum(content) == checksum else {
      throw .malformed("the gzip file is damaged: its checks differ")
    }
    return content
  }

  /// Where the header of a member ends and the compressed stream begins.
  private static func headerEnd(_ octets: [UInt8], from start: Int) throws(VectorFault) -> Int {
    guard octets[start...].prefix(2).elementsEqual(magic.prefix(octets.count - start)) else {
      throw .malformed(start == 0 ? "not a gzip file" : "the gzip file has other octets behind its last member")
    }
    guard octets.count - start >= 10 else { throw cutOff }
    let flags = octets[start + 3]
    guard octets[start + 2] == 8, flags & 0xE0 == 0 else { throw .malformed("unknown form of gzip") }
    var place = start + 10
    if flags & 0x04 != 0 {
      guard octets.count - place >= 2 else { throw cutOff }
      place += 2 + Int(octets[place]) + Int(octets[place + 1]) << 8
    }
    // The name of the file and a comment, each ended by an octet of zeros.
    for flag: UInt8 in [0x08, 0x10] where flags & flag != 0 {
      guard place < octets.count, let zero = octets[place...].firstIndex(of: 0) else { throw cutOff }
      place = zero + 1
    }
    if flags & 0x02 != 0 {
      guard place < octets.count, octets.count - place >= 2 else { throw cutOff }
      guard littleEndian(octets[place..<(place + 2)]) == CRC32.checksum(octets[start..<place]) & 0xFFFF else {
        throw .malformed("the gzip file is damaged: the check of its header differs")
      }
      place += 2
    }
    guard place <= octets.count else { throw cutOff }
    return place
  }

  private static func littleEndian(_ octets: ArraySlice<UInt8>) -> UInt32 {
    octets.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
