import JOSE

/// Reads files that gzip has compressed: one member, both checks of its trailer, and no more octets than a limit.
///
/// Source: RFC 1952 §2.3.
enum Gzip {
  /// Whether octets begin as such a file does.
  static func recognizes(_ octets: [UInt8]) -> Bool { octets.starts(with: [0x1F, 0x8B]) }

  /// The content of a file.
  /// - Throws: ``VectorFault/malformed(_:)`` when the file is damaged, has several members or holds more than
  ///   `byteLimit` octets.
  static func decompress(_ octets: [UInt8], byteLimit: Int) throws(VectorFault) -> [UInt8] {
    let start = try headerEnd(octets)
    // Behind the stream stand the checksum and the length of the content, four octets each.
    guard octets.count - start >= 8 else { throw .malformed("the gzip file is cut off") }
    let end = octets.count - 8
    let (checksum, length) = (littleEndian(octets[end..<(end + 4)]), littleEndian(octets[(end + 4)...]))
    guard length <= UInt32(clamping: byteLimit) else {
      throw .malformed("the gzip file holds more than \(byteLimit) octets")
    }
    let content: [UInt8]
    do throws(JOSEError) {
      content = try Inflate.decompress(Array(octets[start..<end]), byteLimit: Int(length))
    } catch {
      throw .malformed("the gzip file is damaged: \(error.code)")
    }
    guard content.count == Int(length), CRC32.checksum(content) == checksum else {
      throw .malformed("the gzip file is damaged: its checks differ")
    }
    return content
  }

  /// Where the header ends and the compressed stream begins.
  private static func headerEnd(_ octets: [UInt8]) throws(VectorFault) -> Int {
    guard recognizes(octets), octets.count >= 10 else { throw .malformed("not a gzip file") }
    let flags = octets[3]
    guard octets[2] == 8, flags & 0xE0 == 0 else { throw .malformed("unknown form of gzip") }
    var place = 10
    if flags & 0x04 != 0 {
      guard octets.count - place >= 2 else { throw .malformed("the gzip file is cut off") }
      place += 2 + Int(octets[place]) + Int(octets[place + 1]) << 8
    }
    // The name of the file and a comment, each ended by an octet of zeros.
    for flag: UInt8 in [0x08, 0x10] where flags & flag != 0 {
      guard place < octets.count, let zero = octets[place...].firstIndex(of: 0) else {
        throw .malformed("the gzip file is cut off")
      }
      place = zero + 1
    }
    if flags & 0x02 != 0 {
      guard place < octets.count, octets.count - place >= 2 else { throw .malformed("the gzip file is cut off") }
      guard littleEndian(octets[place..<(place + 2)]) == CRC32.checksum(octets[..<place]) & 0xFFFF else {
        throw .malformed("the gzip file is damaged: the check of its header differs")
      }
      place += 2
    }
    return place
  }

  private static func littleEndian(_ octets: ArraySlice<UInt8>) -> UInt32 {
    octets.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
