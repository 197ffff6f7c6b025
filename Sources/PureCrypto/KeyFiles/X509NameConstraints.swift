/// nameConstraints: what the names of all certificates below an authority must be within, and what they must not.
///
/// Checked are DNS names, IP addresses, e-mail addresses, URIs, and permitted directory names, to the octet. A
/// certificate with a constraint of another kind is refused, since nothing could be said of its names; so is one that
/// excludes directory names, whose spellings are many.
///
/// Source: RFC 5280 §4.2.1.10.
package struct X509NameConstraints: Sendable {
  private let permitted: [X509NameSubtree]
  private let excluded: [X509NameSubtree]

  /// How many octets of all names of a chain are compared with constraints: far beyond what authorities write, and a
  /// few milliseconds.
  package static let maximumComparedByteCount = 1 << 20

  /// SEQUENCE { [0] GeneralSubtrees OPTIONAL, [1] GeneralSubtrees OPTIONAL }, at least one of them, and neither empty.
  init(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var reader = DERReader(bytes)
    var constraints = try reader.read(.sequence)
    try reader.finish()
    let lists = (try constraints.readOptional(.constructed(0)), try constraints.readOptional(.constructed(1)))
    try constraints.finish()
    guard lists.0 != nil || lists.1 != nil else {
      throw CryptoError(.malformedDER, "name constraints must permit or exclude a name")
    }
    permitted = try lists.0.map(Self.subtrees) ?? []
    excluded = try lists.1.map(Self.subtrees) ?? []
    guard !excluded.contains(where: { $0.kind == .directory }) else {
      throw CryptoError(.malformedDER, "excluded directory names are not supported")
    }
  }

  /// GeneralSubtree ::= SEQUENCE { base GeneralName, minimum [0] DEFAULT 0, maximum [1] OPTIONAL }; minimum is
  /// always 0 and maximum is always absent.
  private static func subtrees(_ list: DERReader) throws(CryptoError) -> [X509NameSubtree] {
    var list = list
    var subtrees: [X509NameSubtree] = []
    repeat {
      var subtree = try list.read(.sequence)
      subtrees.append(try X509NameSubtree(subtree.readAnyWhole()))
      try subtree.finish()
    } while !list.bytes.isEmpty
    return subtrees
  }

  /// Why a certificate with these names may not stand below the authority; nil if it may.
  ///
  /// - Parameter budget: how many more octets may be compared. A name costs its octets once for each constraint of its
  ///   kind, and 16 at least; one of another kind costs 1.
  package func refusal(of certificate: X509Profile, budget: inout Int) -> StaticString? {
    let constraintCount = permitted.count &+ excluded.count
    for name in certificate.constrainedNames {
      guard let kind = X509NameSubtree.Kind(of: name) else { continue }
      let compared = X509ComparedName(name)
      budget &-= min(budget, constraintCount)
      let ofKind = permitted.count { $0.kind == kind } &+ excluded.count { $0.kind == kind }
      let (cost, overflow) = ofKind.multipliedReportingOverflow(by: max(16, compared?.byteCount ?? 0))
      guard !overflow, cost <= budget else { return "there are too many names and constraints to compare" }
      budget &-= cost
      let permitted = permitted.lazy.filter { $0.kind == kind }
      let excluded = excluded.lazy.filter { $0.kind == kind }
      guard permitted.first != nil || excluded.first != nil else { continue }
      guard let compared else { return "a name can't be compared with the constraints" }
      guard permitted.first == nil || permitted.contains(where: { $0.contains(compared) }) else {
        return "a name is not within what the authority may certify"
      }
      guard !excluded.contains(where: { $0.overlaps(compared) }) else {
        return "a name is within what the authority may not certify"
      }
    }
    return nil
  }
}
