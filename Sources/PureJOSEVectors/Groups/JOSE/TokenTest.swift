import JOSE
import StrictJSON

/// What the tests of JWS, JWE and JWT have in common: a token, the one trusted key or key set, and the algorithms that
/// the caller allows.
struct TokenTest {
  /// The trusted keys.
  enum Trusted {
    case key(JSONObject)
    case set(JSONObject)
  }

  let token: String
  let trusted: Trusted
  /// The allowed `alg` values.
  let algorithms: [String]
  /// The extensions that the caller says it understands; nil leaves it to the package.
  let understood: [String]?
  /// Whether the token is in JSON serialization.
  let isJSON: Bool
  /// A compact token's protected header, if it can be read at all.
  let header: JSONObject?
  /// All headers that can be read: of a compact token one, of one in JSON serialization protected and other ones.
  private let headers: [JSONObject]

  /// - Parameter token: the token, where it is not the member of that name but the content of another token.
  init(reading test: MemberReader, token: String? = nil) throws(VectorFault) {
    let token = if let token { token } else { try test.string("token") }
    self.token = token
    algorithms = try test.strings("algs")
    understood = try test.strings(ifPresent: "crit")
    switch (try test.jsonObject(ifPresent: "key"), try test.jsonObject(ifPresent: "jwks")) {
    case (let key?, nil): trusted = .key(key)
    case (nil, let set?): trusted = .set(set)
    default: throw .malformed("there must be either a key or jwks")
    }
    let serialization = try test.string("serialization")
    guard ["compact", "flattened", "general"].contains(serialization) else {
      throw .malformed("unknown serialization \(serialization)")
    }
    isJSON = serialization != "compact"
    header = isJSON ? nil : Self.header(of: token)
    headers = isJSON ? Self.headers(ofJSON: token) : [header].compactMap { $0 }
  }

  private static func header(of token: String) -> JSONObject? {
    guard let segment = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).first,
      let octets = try? Base64URL.decode(utf8: segment)
    else { return nil }
    return try? JSONObject(parsing: octets)
  }

  private static func headers(ofJSON token: String) -> [JSONObject] {
    guard let object = try? JSONObject(parsing: Array(token.utf8)) else { return [] }
    let inner = ["recipients", "signatures"].flatMap { object[$0]?.arrayValue ?? [] }.compactMap { $0.objectValue }
    return ([object] + inner).flatMap { part -> [JSONObject] in
      let encoded = part["protected"]?.stringValue.flatMap { try? Base64URL.decode($0) }
      let protected = encoded.flatMap { try? JSONObject(parsing: $0) }
      return [protected, part["unprotected"]?.objectValue, part["header"]?.objectValue].compactMap { $0 }
    }
  }

  /// Those of the allowed names that the package knows, unless the token asks for an allowed one that it doesn't.
  /// - Parameter named: the token's own choices.
  /// - Throws: ``VectorFault/notImplemented(_:)`` naming what is missing.
  static func implemented<Algorithm>(
    _ names: [String], named: [String], find: (String) -> Algorithm?
  ) throws(VectorFault) -> [Algorithm] {
    for named in named where !leftOut.contains(named) && find(named) == nil {
      if names.contains(where: { $0.utf8.elementsEqual(named.utf8) }) { throw .notImplemented(named) }
    }
    let implemented = names.compactMap(find)
    guard !implemented.isEmpty || !names.isEmpty && names.allSatisfy(leftOut.contains) else {
      throw .notImplemented(names.first ?? "an empty list of algorithms")
    }
    return implemented
  }

  /// Algorithms that the package refuses on purpose, and whose tokens are therefore given to it.
  private static let leftOut = ["RSA1_5"]

  /// The texts that a parameter has in any of the headers.
  func headerTexts(_ name: String) -> [String] { headers.compactMap { $0[name]?.stringValue } }

  /// The string of a header parameter, or nil where it has none.
  func headerText(_ name: String) -> String? { header?[name]?.stringValue }
}
