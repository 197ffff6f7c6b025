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
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let token = try test.string("jws")
    let object: JSONObject = ["keys": .array(keys)]
    let set = try JWKSet(parsing: object.serialized(), acceptsSecretKeys: true)
    _ = try JWS.verify(token, with: set, algorithms: SignatureAlgorithm.allCases)
    return .accepted
  }
}
