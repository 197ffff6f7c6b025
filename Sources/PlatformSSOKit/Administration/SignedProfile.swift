import JOSE

/// The profile inside a signed one. The signature is not checked: System Settings show who signed a profile, and what
/// it says is the same.
///
/// Source: RFC 5652 §5; X.690 §8 for forms of indefinite length, which signing programs write.
enum SignedProfile {
  /// The signed octets; nil if these are no signed message.
  static func content(of octets: [UInt8]) -> [UInt8]? {
    guard let message = element(octets[...], 0x30), let type = element(message, 0x06),
      type.elementsEqual([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]),
      let outer = element(after(message), 0xA0), let signed = element(outer, 0x30), element(signed, 0x02) != nil,
      element(after(signed), 0x31) != nil, let inner = element(after(after(signed)), 0x30), element(inner, 0x06) != nil,
      let holder = element(after(inner), 0xA0)
    else { return nil }
    if let whole = element(holder, 0x04) { return Array(whole) }
    guard var parts = element(holder, 0x24) else { return nil }
    var content: [UInt8] = []
    while let part = element(parts, 0x04) {
      content += part
      parts = after(parts)
    }
    return content
  }

  /// What is in the first element, if it has this tag.
  private static func element(_ octets: ArraySlice<UInt8>, _ tag: UInt8) -> ArraySlice<UInt8>? {
    guard octets.first == tag, let (content, _) = parts(of: octets, depth: 0) else { return nil }
    return content
  }

  /// What follows the first element; nothing if that is malformed.
  private static func after(_ octets: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    parts(of: octets, depth: 0)?.rest ?? []
  }

  /// The first element's content, and what follows it.
  private static func parts(
    of octets: ArraySlice<UInt8>, depth: Int
  ) -> (content: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
    // Tags of one octet alone are met on the way to the content.
    guard depth <= 16, octets.count >= 2, octets[octets.startIndex] & 0x1F != 0x1F else { return nil }
    let first = octets[octets.startIndex + 1]
    var rest = octets.dropFirst(2)
    switch first {
    case 0..<0x80: return split(rest, Int(first))
    case 0x80:
      // As long as elements follow, up to one of two zeros.
      let start = rest.startIndex
      while !rest.starts(with: [0, 0]) {
        guard let (_, next) = parts(of: rest, depth: depth + 1) else { return nil }
        rest = next
      }
      return (octets[start..<rest.startIndex], rest.dropFirst(2))
    case 0x81...0x84:
      let count = Int(first & 0x7F)
      guard rest.count >= count else { return nil }
      let length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      return split(rest.dropFirst(count), length)
    default: return nil
    }
  }

  private static func split(
    _ octets: ArraySlice<UInt8>, _ length: Int
  ) -> (content: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
    length <= octets.count ? (octets.prefix(length), octets.dropFirst(length)) : nil
  }
}
