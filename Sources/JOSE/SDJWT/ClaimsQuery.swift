import StrictJSON

/// One claim that is asked for: where it stands, and what it may say.
///
/// Source: OpenID for Verifiable Presentations 1.0 §6.3, §7.
struct ClaimsQuery: Sendable {
  private enum Step: Sendable {
    case member(String)
    case element(Int)
    case everyElement
  }

  let id: WireName?
  private let path: [Step]
  /// The values that may stand there; nil for any.
  private let values: [JSONValue]?

  /// - Throws: ``ErrorCode/malformed``.
  init(_ object: JSONObject) throws(JOSEError) {
    id = object["id"]?.nameValue
    guard object["id"] == nil || id.map(CredentialQuery.isIdentifier) == true else {
      throw CredentialQuery.malformed("id")
    }
    let steps = object["path"]?.arrayValue ?? []
    path = steps.compactMap { step in
      switch step {
      case .string(let name): .member(name)
      case .null: .everyElement
      case .number(let number): number.exactly(Int.self).flatMap { $0 >= 0 ? .element($0) : nil }
      default: nil
      }
    }
    guard !path.isEmpty, path.count == steps.count else { throw CredentialQuery.malformed("path") }
    values = object["values"]?.arrayValue
    guard object["values"] == nil || values?.isEmpty == false, values?.allSatisfy(Self.isComparable) ?? true else {
      throw CredentialQuery.malformed("values")
    }
  }

  /// Requires the claim.
  ///
  /// - Throws: ``ErrorCode/claimMissing``, ``ErrorCode/claimMismatch``.
  func require(in claims: JSONValue) throws(JOSEError) {
    var selected = [claims]
    for step in path {
      let selections = selected.map { Self.selection(step, in: $0) }
      selected = selections.flatMap { $0 ?? [] }
      // A value of another kind than the step goes into ends the search, whatever else there is.
      guard !selected.isEmpty, !selections.contains(nil) else {
        throw JOSEError(.claimMissing, "a claim that was asked for is not shown", name: description)
      }
    }
    guard let values else { return }
    guard selected.contains(where: { found in values.contains { Self.areSame($0, found) } }) else {
      throw JOSEError(.claimMismatch, "a claim has none of the values that were asked for", name: description)
    }
  }

  /// What a step selects; nil for a value of another kind.
  private static func selection(_ step: Step, in value: JSONValue) -> [JSONValue]? {
    switch step {
    case .member(let name): value.objectValue.map { object in object[name].map { [$0] } ?? [] }
    case .element(let place): value.arrayValue.map { place < $0.count ? [$0[place]] : [] }
    case .everyElement: value.arrayValue
    }
  }

  private static func areSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
    switch (one, other) {
    case (.number(let one), .number(let other)): one.int64 == other.int64
    case (.bool(let one), .bool(let other)): one == other
    default: one.nameValue.map { $0 == other.nameValue } ?? false
    }
  }

  /// Texts, whole numbers and truth values are compared, and nothing else.
  private static func isComparable(_ value: JSONValue) -> Bool {
    switch value {
    case .string, .bool: true
    case .number(let number): number.int64 != nil
    default: false
    }
  }

  /// `address.street`, `nationalities[]`, `nationalities[0]`.
  private var description: String {
    path.reduce(into: "") { text, step in
      switch step {
      case .member(let name): text += (text.isEmpty ? "" : ".") + name
      case .element(let place): text += "[\(place)]"
      case .everyElement: text += "[]"
      }
    }
  }
}
