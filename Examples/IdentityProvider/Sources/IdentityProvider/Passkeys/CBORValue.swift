/// A CBOR value, as far as authenticators need it: integers, octets, text, arrays and maps, all of definite length.
///
/// Source: RFC 8949 §3; CTAP 2.1 §8, which allows four levels.
enum CBORValue: Hashable, Sendable {
  case integer(Int64)
  case octets([UInt8])
  case text(String)
  case array([CBORValue])
  case map([CBORValue: CBORValue])
  case bool(Bool)
  case null

  /// Why octets can't be read as a value.
  struct Malformed: Error, Equatable {}

  static let maximumDepth = 4

  /// Reads one value, which must fill the input.
  init(parsing octets: [UInt8]) throws(Malformed) {
    var rest = octets[...]
    self = try Self.read(from: &rest)
    guard rest.isEmpty else { throw Malformed() }
  }

  /// Reads the value at the beginning, and leaves the remaining octets.
  static func read(from octets: inout ArraySlice<UInt8>) throws(Malformed) -> CBORValue {
    try read(from: &octets, depth: 1)
  }

  /// The member of a map.
  subscript(key: CBORValue) -> CBORValue? {
    guard case .map(let members) = self else { return nil }
    return members[key]
  }

  subscript(key: String) -> CBORValue? { self[.text(key)] }

  // MARK: Reading

  private static func read(from octets: inout ArraySlice<UInt8>, depth: Int) throws(Malformed) -> CBORValue {
    guard depth <= maximumDepth, let first = octets.popFirst() else { throw Malformed() }
    let argument = try argument(first & 0x1F, from: &octets)
    switch first >> 5 {
    case 0, 1:
      guard let number = Int64(exactly: argument) else { throw Malformed() }
      return .integer(first >> 5 == 0 ? number : -1 - number)
    case 2: return .octets(Array(try take(argument, from: &octets)))
    case 3:
      guard let text = String(validating: try take(argument, from: &octets), as: UTF8.self) else { throw Malformed() }
      return .text(text)
    case 4:
      // Each element takes at least one octet, which bounds the count.
      guard argument <= octets.count else { throw Malformed() }
      var elements: [CBORValue] = []
      for _ in 0..<argument { elements.append(try read(from: &octets, depth: depth + 1)) }
      return .array(elements)
    case 5:
      guard argument <= min(octets.count / 2, 64) else { throw Malformed() }
      var members: [CBORValue: CBORValue] = [:]
      for _ in 0..<argument {
        let key = try read(from: &octets, depth: depth + 1)
        guard members.updateValue(try read(from: &octets, depth: depth + 1), forKey: key) == nil else {
          throw Malformed()
        }
      }
      return .map(members)
    case 7:
      switch first & 0x1F {
      case 20: return .bool(false)
      case 21: return .bool(true)
      case 22: return .null
      default: throw Malformed()
      }
    default: throw Malformed()
    }
  }

  /// A length or number: in the first octet, or in the one, two, four or eight after it.
  private static func argument(_ short: UInt8, from octets: inout ArraySlice<UInt8>) throws(Malformed) -> UInt64 {
    switch short {
    case 0..<24: return UInt64(short)
    case 24...27:
      let bytes = try take(1 << UInt64(short - 24), from: &octets)
      return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    default: throw Malformed()
    }
  }

  private static func take(_ count: UInt64, from octets: inout ArraySlice<UInt8>) throws(Malformed) -> ArraySlice<UInt8>
  {
    guard let count = Int(exactly: count), count <= octets.count else { throw Malformed() }
    defer { octets = octets.dropFirst(count) }
    return octets.prefix(count)
  }
}
