import PureCrypto
import StrictJSON

/// Members of a JSON serialization, read in place: a member that is not asked for costs nothing beyond its parsing.
///
/// An optional member that is empty, `""` or `{}`, is malformed, whichever it is. RFC 7515 §7.2.1 and RFC 7516 §7.2.1
/// say of each of them that it must be absent then, so that one message has one form: a relay can't add such a member
/// on the way. The one that is taken is an empty `encrypted_key` where the algorithm has none.
extension JSONView {
  private static func emptyMember(_ name: String) -> JOSEError {
    JOSEError(.malformed, "an empty member must be absent", name: name)
  }

  /// An object that must be an object if it is present.
  func serializationObject(_ name: String) throws(JOSEError) -> JSONView? {
    guard let value = self[name] else { return nil }
    guard value.kind == .object else { throw JOSEError(.malformed, "the member is not an object", name: name) }
    guard value.members.first(where: { _ in true }) != nil else { throw Self.emptyMember(name) }
    return value
  }

  /// An unprotected header, or an empty one if it is absent.
  func unprotectedHeader(_ name: String, budget: inout HeaderBudget) throws(JOSEError) -> JSONObject {
    guard let value = try serializationObject(name) else { return [:] }
    try budget.spend(byteCount: value.textByteCount)
    guard let object = try? value.object() else {
      throw JOSEError(.malformed, "the member is not an object", name: name)
    }
    try budget.spend(byteCount: 0, memberCount: object.count)
    return object
  }

  /// The text of a member, or nil if it is absent.
  func serializationText(_ name: String) throws(JOSEError) -> [UInt8]? {
    guard let value = self[name] else { return nil }
    guard value.kind == .string else { throw JOSEError(.malformed, "the member is not a string", name: name) }
    return value.text
  }

  /// The text of a base64url member and its octets, or nil if it is absent.
  ///
  /// - Parameter isOptional: whether the member must be absent if it is empty.
  func serializationOctets(
    _ name: String, byteLimit: Int, limitName: String, isOptional: Bool = false
  ) throws(JOSEError) -> (text: [UInt8], octets: [UInt8])? {
    guard let text = try serializationText(name) else { return nil }
    guard !isOptional || !text.isEmpty else { throw Self.emptyMember(name) }
    guard text.count <= Base64URL.characterLimit(byteLimit) else {
      throw JOSEError(.limitExceeded, "a member of the message is too long", name: limitName)
    }
    return (text, try Base64URL.decode(utf8: text))
  }

  /// The protected header's text and members; none of either if it is absent.
  func protectedHeader(
    limits: Limits, budget: inout HeaderBudget
  ) throws(JOSEError) -> (text: [UInt8], header: JSONObject) {
    guard
      let (text, octets) = try serializationOctets(
        "protected", byteLimit: limits.headerByteCount, limitName: "headerByteCount", isOptional: true)
    else { return ([], [:]) }
    try budget.spend(byteCount: octets.count)
    let header = try JSONObject(parsing: octets, within: limits.headerJSON)
    try budget.spend(byteCount: 0, memberCount: header.count)
    return (text, header)
  }

  /// A header parameter that decides early: its text, if it is a string.
  func headerText(_ name: String) -> String? { self[name].flatMap { try? $0.string() } }

  /// The elements of an array of objects, at most this many.
  func serializationObjects(_ name: String, countLimit: Int, limitName: String) throws(JOSEError) -> [JSONView]? {
    guard let value = self[name] else { return nil }
    guard value.kind == .array else { throw JOSEError(.malformed, "the member is not an array", name: name) }
    var objects: [JSONView] = []
    for element in value.elements {
      guard objects.count < countLimit else {
        throw JOSEError(.limitExceeded, "the message has too many signatures or recipients", name: limitName)
      }
      guard element.kind == .object else { throw JOSEError(.malformed, "an element is not an object", name: name) }
      objects.append(element)
    }
    guard !objects.isEmpty else { throw JOSEError(.malformed, "the array is empty", name: name) }
    return objects
  }
}

extension JSONDocument {
  /// Parses a JWS or JWE in JSON serialization.
  init(parsingMessage text: some Collection<UInt8>, limits: Limits) throws(JOSEError) {
    try JOSEError.require(text.count, within: limits.messageJSON, named: "messageByteCount")
    do throws(JSONError) {
      try self.init(parsing: text, limits: limits.messageJSON)
    } catch {
      throw JOSEError(json: error)
    }
    guard root.kind == .object else { throw JOSEError(.malformed, "the message is not a JSON object") }
  }
}
