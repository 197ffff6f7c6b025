import JOSE
import StrictJSON

/// A reader of binary property lists, version 00: a table of objects that refer to each other by number.
///
/// Each read is bounded by the octets that are there. An object may be referred to more than once, so the depth, the
/// number of values and the octets of all texts and data together are bounded too: a short list could else stand for
/// more than there is memory.
struct BinaryPropertyList {
  private let octets: [UInt8]
  private let offsets: [Int]
  private let referenceSize: Int
  private var valuesLeft = 100_000
  private var octetsLeft = 8 << 20
  private static let maximumDepth = 32

  static func isOne(_ octets: [UInt8]) -> Bool { octets.starts(with: Array("bplist00".utf8)) }

  /// - Throws: `ErrorCode.malformed`, `ErrorCode.limitExceeded`.
  static func value(in octets: [UInt8]) throws(JOSEError) -> PropertyListValue {
    // The last 32 octets: sizes of offsets and references, count, root and table.
    guard isOne(octets), octets.count >= 40 else { throw malformed }
    let trailer = octets.suffix(26)
    let start = trailer.startIndex
    guard let (count, root, table) = numbers(trailer[(start + 2)...]), (1...8).contains(trailer[start]),
      (1...8).contains(trailer[start + 1])
    else { throw malformed }
    let (offsetSize, end) = (Int(trailer[start]), octets.count - 32)
    // The product is of numbers no larger than the file and 8.
    guard count > 0, count <= end, table >= 8, table <= end, count * offsetSize <= end - table, root < count else {
      throw malformed
    }
    let offsets = (0..<count).compactMap { number(octets[(table + $0 * offsetSize)...].prefix(offsetSize)) }
    guard offsets.count == count, offsets.allSatisfy({ (8..<table).contains($0) }) else { throw malformed }
    var reader = BinaryPropertyList(
      octets: Array(octets[..<table]), offsets: offsets, referenceSize: Int(trailer[start + 1]))
    return try reader.object(root, depth: 0)
  }

  private init(octets: [UInt8], offsets: [Int], referenceSize: Int) {
    (self.octets, self.offsets, self.referenceSize) = (octets, offsets, referenceSize)
  }

  private static var malformed: JOSEError { JOSEError(.malformed, "not a binary property list", name: "plist") }

  private mutating func object(_ index: Int, depth: Int) throws(JOSEError) -> PropertyListValue {
    valuesLeft -= 1
    guard depth <= Self.maximumDepth, valuesLeft >= 0 else {
      throw JOSEError(.limitExceeded, "the property list is too deep or has too many values", name: "plist")
    }
    guard offsets.indices.contains(index) else { throw Self.malformed }
    var place = offsets[index]
    let marker = octets[place]
    place += 1
    switch marker >> 4 {
    case 0x0 where marker == 0x08 || marker == 0x09: return .bool(marker == 0x09)
    case 0x1 where marker & 0xF <= 3:
      return .integer(Int64(bitPattern: try integer(try take(1 << (marker & 0xF), at: place))))
    case 0x2, 0x3:
      let length = 1 << (marker & 0xF)
      guard length == 4 || length == 8 else { throw Self.malformed }
      let bits = try integer(try take(length, at: place))
      let value = length == 8 ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
      guard marker >> 4 == 3 else { return .other(element: "real", text: "\(value)") }
      // Seconds since 2001-01-01, for a year of four digits, as XML has it.
      guard (-63_000_000_000..<252_423_993_600).contains(value),
        let date = NumericDate(secondsSince1970: value + 978_307_200)
      else { throw Self.malformed }
      return .other(element: "date", text: date.calendarText)
    case 0x4: return .data(Array(try content(try count(marker, &place), at: place)))
    case 0x5:
      let text = try content(try count(marker, &place), at: place)
      guard text.allSatisfy({ $0 < 0x80 }) else { throw Self.malformed }
      return .string(String(decoding: text, as: UTF8.self))
    case 0x6:
      let count = try count(marker, &place)
      let units = try content(2 * count, at: place)
      let pairs = stride(from: units.startIndex, to: units.endIndex, by: 2)
      let text = pairs.map { UInt16(units[$0]) << 8 | UInt16(units[$0 + 1]) }
      guard let text = String(validating: text, as: UTF16.self) else { throw Self.malformed }
      return .string(text)
    case 0xA:
      var elements: [PropertyListValue] = []
      for reference in try references(try count(marker, &place), at: place) {
        elements.append(try object(reference, depth: depth + 1))
      }
      return .array(elements)
    case 0xD:
      let count = try count(marker, &place)
      let references = try references(2 * count, at: place)
      var entries: [PropertyListValue.Entry] = []
      var names: Set<WireName> = []
      for (key, value) in zip(references.prefix(count), references.dropFirst(count)) {
        guard case .string(let text) = try object(key, depth: depth + 1) else { throw Self.malformed }
        guard names.insert(WireName(text)).inserted else { throw Self.malformed }
        entries.append(.init(text, try object(value, depth: depth + 1)))
      }
      return .dictionary(entries)
    default: throw Self.malformed
    }
  }

  // MARK: Parts

  /// Octets from a place on, all of which are there.
  private func take(_ count: Int, at place: Int) throws(JOSEError) -> ArraySlice<UInt8> {
    guard count >= 0, place <= octets.count, count <= octets.count - place else { throw Self.malformed }
    return octets[place..<(place + count)]
  }

  /// The octets of a text or of data, each time that it is referred to.
  private mutating func content(_ count: Int, at place: Int) throws(JOSEError) -> ArraySlice<UInt8> {
    let content = try take(count, at: place)
    octetsLeft -= count
    guard octetsLeft >= 0 else {
      throw JOSEError(.limitExceeded, "the texts and data of the property list are too long", name: "plist")
    }
    return content
  }

  private func integer(_ octets: ArraySlice<UInt8>) throws(JOSEError) -> UInt64 {
    octets.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The count in a marker, or in the integer behind it.
  private func count(_ marker: UInt8, _ place: inout Int) throws(JOSEError) -> Int {
    guard marker & 0xF == 0xF else { return Int(marker & 0xF) }
    let size = try take(1, at: place).first ?? 0
    guard size >> 4 == 1, size & 0xF <= 3 else { throw Self.malformed }
    let length = 1 << (size & 0xF)
    guard let count = Self.number(try take(length, at: place + 1)), count <= octets.count else { throw Self.malformed }
    place += 1 + length
    return count
  }

  private func references(_ count: Int, at place: Int) throws(JOSEError) -> [Int] {
    // A count is at most that of the octets, so that no product overflows.
    let all = try take(count * referenceSize, at: place)
    return (0..<count).compactMap { Self.number(all[(place + $0 * referenceSize)...].prefix(referenceSize)) }
  }

  /// A number without sign, if it fits.
  private static func number(_ octets: ArraySlice<UInt8>) -> Int? {
    Int(exactly: octets.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  private static func numbers(_ octets: ArraySlice<UInt8>) -> (Int, Int, Int)? {
    let start = octets.startIndex
    guard let one = number(octets[start..<(start + 8)]), let two = number(octets[(start + 8)..<(start + 16)]),
      let three = number(octets[(start + 16)..<(start + 24)])
    else { return nil }
    return (one, two, three)
  }
}
