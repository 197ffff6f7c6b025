/// Fields that each stand behind their length as four octets, big-endian, with nothing between or after them.
///
/// Both party infos are made this way, and the key derivation puts one more such length before each of them.
enum LengthPrefixedFields {
  /// `lp(field) ‖ lp(field) ‖ …`. Fields come from this package or are bounded by the message limits, far below
  /// 2³² octets.
  static func encode(_ fields: [[UInt8]]) -> [UInt8] {
    var octets: [UInt8] = []
    for field in fields {
      let length = UInt32(truncatingIfNeeded: field.count)
      for shift: UInt32 in [24, 16, 8, 0] { octets.append(UInt8(truncatingIfNeeded: length &>> shift)) }
      octets += field
    }
    return octets
  }

  /// The fields, or nil if a length reaches beyond the end or there are more than `limit` of them.
  static func decode(_ octets: [UInt8], limit: Int) -> [[UInt8]]? {
    var fields: [[UInt8]] = []
    var rest = octets[...]
    while !rest.isEmpty {
      guard rest.count >= 4, fields.count < limit else { return nil }
      let length = rest.prefix(4).reduce(UInt32(0)) { $0 &<< 8 | UInt32($1) }
      rest = rest.dropFirst(4)
      guard rest.count >= Int(length) else { return nil }
      fields.append(Array(rest.prefix(Int(length))))
      rest = rest.dropFirst(Int(length))
    }
    return fields
  }
}
