import JOSE
import StrictJSON

/// Reading of the claim `status_list`, whatever signs it.
struct StatusListDecodeGroup: BareGroup {
  func run(_ test: MemberReader) throws -> Verdict {
    let text = try test.string("statusList")
    let lookups = test.value(ifPresent: "lookups")?.arrayValue ?? []
    let beyond = test.value(ifPresent: "outOfRange")?.arrayValue ?? []
    let list = try StatusList(JSONObject(parsing: text.utf8))
    return try StatusListLookups(lookups, beyond).verdict(of: list)
  }
}

/// The status of a token by a list's own token, which must be of the right kind, at its place and not too old.
struct StatusListVerifyGroup: BareGroup {
  func run(_ test: MemberReader) throws -> Verdict {
    let (token, key, uri) = (try test.string("token"), try test.jsonObject("key"), try test.string("uri"))
    let now = try test.integer("now")
    let lookups = test.value(ifPresent: "lookups")?.arrayValue ?? []
    let policy = JWTPolicy(
      issuer: .notChecked, audience: .notChecked, clock: .fixed(at: NumericDate(now)))
    let verifier = JWTVerifier(key: try VerificationKey(JWK(key), algorithm: .es256), policy: policy)
    let list = try StatusListToken(verifying: token, at: uri, by: verifier)
    return try StatusListLookups(lookups, []).verdict(of: list.list)
  }
}

/// What a list must say: pairs of an index and a status, and indices that are beyond it.
struct StatusListLookups {
  let statuses: [(index: Int, status: Int)]
  private let beyond: [Int]

  init(_ lookups: [JSONValue], _ beyond: [JSONValue]) throws(VectorFault) {
    let pairs = lookups.map { ($0.arrayValue ?? []).compactMap(\.index) }
    let indices = beyond.compactMap(\.index)
    guard pairs.allSatisfy({ $0.count == 2 }), indices.count == beyond.count else {
      throw .malformed("a look-up is a pair of an index and a status")
    }
    (statuses, self.beyond) = (pairs.map { ($0[0], $0[1]) }, indices)
  }

  func verdict(of list: StatusList) -> Verdict {
    for (index, status) in statuses where list[index].map({ Int($0.rawValue) }) != status {
      return .wrong("the status of \(index) differs")
    }
    for index in beyond where list[index] != nil { return .wrong("there is a status of \(index)") }
    return .accepted
  }
}

extension JSONValue {
  fileprivate var index: Int? { numberValue?.int64.map { Int($0) } }
}
