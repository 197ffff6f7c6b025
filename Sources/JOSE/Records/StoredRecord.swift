import PureCrypto
import StrictJSON

/// One thing that a provider remembers: a family of refresh tokens, a code, a device, a nonce that was used.
///
/// A database keeps it as one row of octets and a row for each index. What the document says is the library's business
/// alone.
public struct StoredRecord: Sendable, Hashable {
  /// What sort of thing a record is. Keys, and values of unique indexes, are unique within one kind.
  public struct Kind: Sendable, Hashable {
    /// The name, for a database's column: lowercase letters, digits, hyphens and dots.
    public let name: String

    /// A kind of the library's own.
    package init(library name: StaticString) { self.name = "\(name)" }

    /// A kind of the program's own, which never meets one of the library's: `app.` and this name.
    ///
    /// - Parameter name: 1 to 32 of the characters `a`–`z`, `0`–`9` and `-`; nil for anything else.
    public init?(application name: String) {
      let isLegal = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
      guard isLegal, (1...32).contains(name.utf8.count) else { return nil }
      self.name = "app." + name
    }
  }

  /// A value by which records are found. A record may have several of one name.
  public struct Index: Sendable, Hashable {
    /// What is looked for, such as the user. Compared as octets: two forms of `é` are two names.
    public let name: String
    /// What it is, compared as octets.
    public let value: [UInt8]
    /// Whether at most one record of the kind may have this value.
    public let isUnique: Bool

    /// An index of this name and value.
    public init(_ name: String, _ value: [UInt8], isUnique: Bool = false) {
      (self.name, self.value, self.isUnique) = (name, value, isUnique)
    }

    /// Whether name, value and uniqueness are the same, octet by octet.
    public static func == (lhs: Index, rhs: Index) -> Bool {
      lhs.isUnique == rhs.isUnique && lhs.value == rhs.value && WireName(lhs.name) == rhs.name
    }
  }

  /// What sort of thing it is.
  public let kind: Kind
  /// What it is called: unique within its kind, compared as octets. A digest where the name is a secret.
  public let key: [UInt8]
  /// Counts the writes: 1 after the insertion. A store ignores it on insertion and compares it on replacement.
  public var version: UInt64
  /// By what it is found. One that is here twice counts once: see ``distinctIndexes``.
  public var indexes: [Index]
  /// When it came to be. Records are listed by this date.
  public let createdAt: NumericDate
  /// From when on it may be removed; nil for never.
  public var expiresAt: NumericDate?
  /// What it says, in a form that only the library reads.
  public var document: [UInt8]
  /// 16 random octets of the write that made this version. A writer that lost the answer of its commit knows its own
  /// write by them.
  public var attempt: [UInt8]

  /// A record as a store has it.
  public init(
    kind: Kind, key: [UInt8], version: UInt64 = 0, indexes: [Index] = [], createdAt: NumericDate,
    expiresAt: NumericDate? = nil, document: [UInt8], attempt: [UInt8]
  ) {
    (self.kind, self.key, self.version, self.indexes) = (kind, key, version, indexes)
    (self.createdAt, self.expiresAt, self.document, self.attempt) = (createdAt, expiresAt, document, attempt)
  }

  /// The indexes as a store keeps them: each name and value once, at its first place, and unique if it is so anywhere.
  public var distinctIndexes: [Index] {
    // Most records have a few, all of them distinct, which is seen sooner than a table of them is made.
    let mayHaveTwins =
      indexes.count > 8
      || indexes.indices.contains { place in
        let plain = Index(indexes[place].name, indexes[place].value)
        return indexes[..<place].contains { Index($0.name, $0.value) == plain }
      }
    guard mayHaveTwins else { return indexes }
    var places: [Index: Int] = [:]
    var distinct: [Index] = []
    for index in indexes {
      let plain = Index(index.name, index.value)
      if let place = places[plain] {
        if index.isUnique { distinct[place] = index }
      } else {
        places[plain] = distinct.count
        distinct.append(index)
      }
    }
    return distinct
  }
}

extension StoredRecord: Redacted {}

extension StoredRecord.Index: Redacted {}
