import JOSE
import StrictJSON

/// Wycheproof's keys and key sets, each with a JWS that a validated set verifies or doesn't.
struct WycheproofKeySetGroup: VectorGroup {
  private let keys: [JSONValue]

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    _ = try group.string("comment")
    let secret = try group.jsonObject("private")
    let object = try group.jsonObject(ifPresent: "public") ?? secret
    keys = object["keys"]?.arrayValue ?? [.object(object)]
    for case .object(let key) in keys { try UnimplementedKeys.requireImplemented(key) }
  }

  func run(_ test: MemberReader) throws(VectorFault) -> Verdict {
    let token = try test.string("jws")
    let names = keys.compactMap { $0.objectValue?["alg"]?.stringValue }
    if let name = names.first(where: { Self.unimplemented.contains($0) }) { throw .notImplemented(name) }
    let set: JSONObject = ["keys": .array(keys)]
    return verdict { () throws(JOSEError) in
      let set = try JWKSet(parsing: set.serialized(), secretKeys: .accepted)
      _ = try JWS.verify(token, with: set, algorithms: SignatureAlgorithm.allCases)
      return .accepted
    }
  }

  /// Algorithms of keys in these files that would be used if the package had them.
  private static let unimplemented: Set = ["ES384", "ES512"]
}
