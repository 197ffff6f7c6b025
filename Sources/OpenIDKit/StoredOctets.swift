/// A stored document in binary: an octet that names its form, fields without names, and eight octets that check it.
///
/// Numbers take eight octets, the most significant first; texts and lists follow their count. JSON costs ten times as
/// much, and a provider reads and writes a document for each refresh.
package enum StoredOctets {
  /// A document that can't be read.
  struct Damaged: Error {}

  /// How many octets the check takes.
  static let checkByteCount = 8

  /// A document with its check: the form, the fields, and eight octets that depend on all of them.
  package static func sealed(_ octets: [UInt8]) -> [UInt8] {
    var writer = Writer(octets)
    writer.append(check(of: octets[...]))
    return writer.octets
  }

  /// Changes whenever a single octet does, for each step is a bijection of what came before: no octet that a disk lost
  /// makes one user another. No protection against a writer, who can make it anew.
  static func check(of octets: ArraySlice<UInt8>) -> UInt64 {
    var check = UInt64(octets.count)
    var word: UInt64 = 0
    var wordCount = 0
    for octet in octets {
      word = word &<< 8 | UInt64(octet)
      wordCount &+= 1
      if wordCount == 8 {
        mix(word, into: &check)
        (word, wordCount) = (0, 0)
      }
    }
    mix(word, into: &check)
    return check
  }

  private static func mix(_ word: UInt64, into check: inout UInt64) {
    // Any odd number will do. This one spreads a bit over the upper half, which the shift brings down.
    check = (check ^ word) &* 0x9E37_79B9_7F4A_7C15
    check ^= check &>> 32
  }
}

extension StoredOctets {
  /// Writes fields one after another.
  struct Writer {
    private(set) var octets: [UInt8]

    /// A document that begins with these octets.
    init(_ octets: [UInt8], capacity: Int = 0) {
      self.octets = octets
      self.octets.reserveCapacity(max(capacity, octets.count + StoredOctets.checkByteCount))
    }

    mutating func append(_ octets: [UInt8]) { self.octets += octets }

    mutating func append(_ number: UInt64) {
      for shift in stride(from: 56, through: 0, by: -8) { octets.append(UInt8(truncatingIfNeeded: number &>> shift)) }
    }

    mutating func append(_ number: Double) { append(number.bitPattern) }

    mutating func append(_ text: String) {
      append(UInt64(text.utf8.count))
      octets.append(contentsOf: text.utf8)
    }

    mutating func append(_ texts: [String]) {
      append(UInt64(texts.count))
      for text in texts { append(text) }
    }

    /// 0 for nothing, or 1 and the value.
    mutating func append<Value>(_ value: Value?, _ append: (inout Writer, Value) -> Void) {
      octets.append(value == nil ? 0 : 1)
      if let value { append(&self, value) }
    }
  }

  /// Reads the fields that ``Writer`` wrote. Never past the end, and nothing is reserved for a count that isn't there.
  struct Reader {
    private var rest: ArraySlice<UInt8>

    /// Reads what follows the octet of the form.
    ///
    /// - Throws: ``Damaged`` if the check isn't the document's.
    init(_ document: [UInt8]) throws(Damaged) {
      rest = document.suffix(StoredOctets.checkByteCount)
      let check = try number()
      rest = document.dropLast(StoredOctets.checkByteCount)
      guard StoredOctets.check(of: rest) == check else { throw Damaged() }
      _ = try octets(1)
    }

    mutating func octets(_ count: UInt64) throws(Damaged) -> ArraySlice<UInt8> {
      guard count <= UInt64(rest.count) else { throw Damaged() }
      defer { rest = rest.dropFirst(Int(count)) }
      return rest.prefix(Int(count))
    }

    mutating func number() throws(Damaged) -> UInt64 {
      try octets(8).reduce(0) { $0 &<< 8 | UInt64($1) }
    }

    mutating func text() throws(Damaged) -> String {
      guard let text = String(validating: try octets(number()), as: UTF8.self) else { throw Damaged() }
      return text
    }

    mutating func texts() throws(Damaged) -> [String] {
      var texts: [String] = []
      var count = try number()
      while count > 0 {
        texts.append(try text())
        count -= 1
      }
      return texts
    }

    mutating func ifPresent<Value>(_ read: (inout Reader) throws(Damaged) -> Value) throws(Damaged) -> Value? {
      switch try octets(1).first {
      case 0: nil
      case 1: try read(&self)
      default: throw Damaged()
      }
    }

    /// Requires all to be read.
    func finish() throws(Damaged) {
      guard rest.isEmpty else { throw Damaged() }
    }
  }
}
