/// The types of value that JSON has.
package enum JSONKind: UInt8, Sendable {
  case null, bool, number, string, array, object
}

/// One entry of the tape: a value, or a member's name, and where its text stands.
///
/// A container is followed by all it contains, in the order of the text. An object's content alternates between a name
/// (a string) and its value.
struct JSONNode: Sendable {
  struct Flags: OptionSet, Sendable {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Written `Flags()`: `[]` would go through `SetAlgebra`, which another file runs unspecialised in debug.
    init() { rawValue = 0 }

    /// A string with escapes: its range lies behind the source, where the tape has it without them.
    static let isUnescaped = Flags(rawValue: 1 << 0)
    /// The boolean `true`.
    static let isTrue = Flags(rawValue: 1 << 1)
    /// A number without fraction and exponent.
    static let isPlainInteger = Flags(rawValue: 1 << 2)
    /// A string with bytes above 7F.
    static let hasNonASCII = Flags(rawValue: 1 << 3)
    /// An object with a name that has bytes above 7F.
    static let hasNonASCIIName = Flags(rawValue: 1 << 4)
  }

  /// The first byte of the text; for strings the one after the quotation mark.
  var start: UInt32
  /// The byte after the last one; for strings the closing quotation mark. While an object is open: its member count.
  var end: UInt32
  /// The index of the entry after this one and all it contains. While a container is open: the index of its parent.
  var next: UInt32
  var kind: JSONKind
  var flags: Flags

  /// What stands for the parent of a container that has none.
  static let noParent = UInt32.max
}
