import JOSE
import StrictJSON

/// The claims of a message, read member by member. A member of the wrong type is an error, never an absent one.
struct MessageMembers {
  let object: JSONObject

  init(_ object: JSONObject) { self.object = object }

  /// Parses claims: one JSON object without duplicate members.
  init(parsing json: [UInt8], limits: Limits) throws(JOSEError) {
    object = try JSONObject(parsing: json, within: limits.claimsJSON)
  }

  func string(_ name: String) throws(JOSEError) -> String {
    guard let value = try string(ifPresent: name) else { throw missing(name) }
    return value
  }

  func string(ifPresent name: String) throws(JOSEError) -> String? {
    guard let value = object[name] else { return nil }
    guard case .string(let string) = value else { throw invalid(name) }
    return string
  }

  /// An array of strings, if the member is there.
  func strings(ifPresent name: String) throws(JOSEError) -> [String]? {
    guard let value = object[name] else { return nil }
    let strings = value.arrayValue?.compactMap(\.stringValue)
    guard let strings, strings.count == value.arrayValue?.count else { throw invalid(name) }
    return strings
  }

  /// The members but for some.
  func object(without names: [WireName]) -> JSONObject {
    JSONObject(object.members.filter { !names.contains($0.name) }.map { ($0.name, $0.value) })
  }

  /// A string that must be there, to be compared with others.
  func name(_ name: String) throws(JOSEError) -> WireName { WireName(try string(name)) }

  /// A string that must be there unless it is one of those that may be absent.
  func string(_ name: String, optional: [String]) throws(JOSEError) -> String? {
    optional.contains(WireName(name)) ? try string(ifPresent: name) : try string(name)
  }

  /// Requires that `aud` is there and is one of some names: as a string, or as the one element of an array.
  func requireAudience(oneOf expected: [String]) throws(JOSEError) {
    guard case .array(let elements)? = object["aud"] else { return try require("aud", oneOf: expected) }
    guard elements.count == 1, let audience = elements[0].nameValue else { throw invalid("aud") }
    guard expected.contains(audience) else { throw mismatch("aud") }
  }

  /// A string of at least one character.
  func nonEmptyString(_ name: String) throws(JOSEError) -> String {
    let value = try string(name)
    guard !value.isEmpty else { throw invalid(name) }
    return value
  }

  /// Requires that a claim is there and has a value.
  func require(_ name: String, _ expected: String) throws(JOSEError) {
    guard try self.name(name) == expected else { throw mismatch(name) }
  }

  /// Requires that a claim is there and has one of some values.
  func require(_ name: String, oneOf expected: [String]) throws(JOSEError) {
    guard expected.contains(try self.name(name)) else { throw mismatch(name) }
  }

  /// A time: a JSON number, or, as macOS 13 writes it, a string of 1 to 15 decimal digits.
  func time(_ name: String) throws(JOSEError) -> NumericDate {
    guard let value = try time(ifPresent: name) else { throw missing(name) }
    return value
  }

  /// As ``time(_:)``, or nil if the member is absent.
  func time(ifPresent name: String) throws(JOSEError) -> NumericDate? {
    switch object[name] {
    case nil:
      return nil
    case .number(let number)?:
      guard let date = NumericDate(secondsSince1970: number.double) else { throw invalid(name) }
      return date
    case .string(let text)?:
      guard let date = NumericDate(decimalDigits: text) else { throw invalid(name) }
      return date
    default:
      throw invalid(name)
    }
  }

  /// Seconds of a lifetime: a whole number, or a string of 1 to 15 decimal digits, as some servers write.
  func seconds(ifPresent name: String) throws(JOSEError) -> Int? {
    switch object[name] {
    case nil:
      return nil
    case .number(let number)?:
      guard let value = number.int64, (0...999_999_999_999_999).contains(value) else { throw invalid(name) }
      return Int(value)
    case .string(let text)?:
      guard let value = NumericDate(decimalDigits: text) else { throw invalid(name) }
      return Int(value.wholeSeconds)
    default:
      throw invalid(name)
    }
  }

  func missing(_ name: String) -> JOSEError {
    JOSEError(.claimMissing, "a required member is absent", name: name)
  }

  func invalid(_ name: String) -> JOSEError {
    JOSEError(.claimInvalid, "the member has an unexpected type or form", name: name)
  }

  func mismatch(_ name: String) -> JOSEError {
    JOSEError(.claimMismatch, "the member has an unexpected value", name: name)
  }
}
