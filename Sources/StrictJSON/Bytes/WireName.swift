/// A name or an identifier as the wire has it: `kid`, `iss`, `alg`, a claim, a scope, a client, a URL.
///
/// Two are equal where their UTF-8 bytes are. Swift's `==` on strings also takes canonically equivalent ones for equal,
/// `é` in its two normal forms, which to a protocol are two names. Hold one side as this type, and `==`, `contains`,
/// `switch`, sets and dictionaries compare bytes.
///
/// Not for secrets: how long a comparison takes tells where the bytes differ.
package struct WireName: Hashable, Sendable {
  /// The name as a string, byte for byte.
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (lhs: WireName, rhs: WireName) -> Bool { lhs.text.hasSameBytes(as: rhs.text) }

  package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension WireName: ExpressibleByStringInterpolation, CustomStringConvertible {
  package init(stringLiteral text: String) { self.text = text }

  package var description: String { text }
}

/// Comparisons with a string, so that it is enough if one side is of this type.
extension WireName {
  package static func == (lhs: WireName, rhs: String) -> Bool { lhs.text.hasSameBytes(as: rhs) }

  package static func != (lhs: WireName, rhs: String) -> Bool { !lhs.text.hasSameBytes(as: rhs) }

  package static func == (lhs: String, rhs: WireName) -> Bool { lhs.hasSameBytes(as: rhs.text) }

  package static func != (lhs: String, rhs: WireName) -> Bool { !lhs.hasSameBytes(as: rhs.text) }
}

extension Sequence<WireName> {
  /// Whether one of the names has the bytes of `text`.
  package func contains(_ text: String) -> Bool { contains { $0.text.hasSameBytes(as: text) } }
}

/// The same for arrays, which most are: across modules a sequence is walked through tables of its type.
extension [WireName] {
  /// Whether one of the names has the bytes of `text`.
  package func contains(_ text: String) -> Bool { contains { $0.text.hasSameBytes(as: text) } }
}

extension [String] {
  /// The strings as names, to be compared with others.
  package var wireNames: [WireName] { map { WireName($0) } }

  /// Whether one of the strings has the bytes of `name`.
  package func contains(_ name: WireName) -> Bool { contains { $0.hasSameBytes(as: name.text) } }
}

extension Sequence<String> {
  /// The strings as names, to be compared with others.
  package var wireNames: [WireName] { map { WireName($0) } }

  /// Whether one of the strings has the bytes of `name`.
  package func contains(_ name: WireName) -> Bool { contains { $0.hasSameBytes(as: name.text) } }
}
