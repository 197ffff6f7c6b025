import StrictJSON

/// A payload in which disclosed claims stand in their places, and digests stand no more.
///
/// Source: RFC 9901 §7.1.
package struct ProcessedPayload: Sendable {
  package private(set) var claims: JSONObject = [:]
  /// Where each disclosure's claim stands, in the order of the disclosures.
  private(set) var paths: [ClaimPath] = []
  let hash: ThumbprintHash

  /// - Parameter limits: bound how deep claims are nested once they stand in their places.
  /// - Throws: ``ErrorCode/claimInvalid`` if digests stand where none may, one occurs twice, or two claims have one
  ///   name; ``ErrorCode/malformed`` for a disclosure that occurs twice, or that no digest names.
  init(_ payload: JSONObject, _ disclosures: [Disclosure], limits: Limits) throws(JOSEError) {
    hash = try ThumbprintHash.named(in: payload)
    var places: [WireName: Int] = [:]
    for (place, disclosure) in disclosures.enumerated() {
      guard places.updateValue(place, forKey: disclosure.digest(hash)) == nil else {
        throw JOSEError(.malformed, "a disclosure occurs twice", name: "disclosures")
      }
    }
    var walk = Walk(disclosures: disclosures, places: places, depthLimit: limits.claimsDepth)
    var payload = payload
    payload["_sd_alg"] = nil
    claims = try walk.processed(payload, at: ClaimPath([]))
    paths = walk.paths.compactMap(\.self)
    guard paths.count == disclosures.count else {
      throw JOSEError(.malformed, "no digest names a disclosure: it belongs to another token", name: "disclosures")
    }
  }
}

/// One walk through the payload, and through what is disclosed on the way.
private struct Walk {
  let disclosures: [Disclosure]
  /// The disclosure of each digest.
  let places: [WireName: Int]
  let depthLimit: Int
  /// Every digest that was met, with a disclosure or without.
  private var met: Set<WireName> = []
  private(set) var paths: [ClaimPath?]

  init(disclosures: [Disclosure], places: [WireName: Int], depthLimit: Int) {
    (self.disclosures, self.places, self.depthLimit) = (disclosures, places, depthLimit)
    paths = Array(repeating: nil, count: disclosures.count)
  }

  private mutating func processed(_ value: JSONValue, at path: ClaimPath) throws(JOSEError) -> JSONValue {
    guard path.steps.count <= depthLimit else {
      throw JOSEError(.limitExceeded, "the claims are nested too deeply", name: "claimsDepth")
    }
    switch value {
    case .object(let object): return .object(try processed(object, at: path))
    case .array(let elements): return .array(try processed(elements, at: path))
    case .null, .bool, .number, .string: return value
    }
  }

  mutating func processed(_ object: JSONObject, at path: ClaimPath) throws(JOSEError) -> JSONObject {
    guard object["..."] == nil else { throw Self.misplaced("...") }
    var members: [(String, JSONValue)] = []
    var names: Set<WireName> = []
    for (name, value) in object.members {
      let ownName = WireName(name)
      guard ownName != "_sd" else { continue }
      names.insert(ownName)
      members.append((name, try processed(value, at: path.appending(.member(name)))))
    }
    for digest in try Self.digests(object["_sd"]) {
      guard let (place, disclosure) = try disclosure(of: digest) else { continue }
      guard let name = disclosure.name else {
        throw JOSEError(.claimInvalid, "the disclosure of an element stands for a member", name: "_sd")
      }
      // Whatever stands there already, by the issuer's hand or by another disclosure, is not replaced.
      guard names.insert(WireName(name)).inserted else {
        throw JOSEError(.claimInvalid, "a disclosure has the name of another claim", name: "_sd")
      }
      let ownPath = path.appending(.member(name))
      paths[place] = ownPath
      members.append((name, try processed(disclosure.value, at: ownPath)))
    }
    return JSONObject(uniqueMembers: members.map { (name: $0.0, value: $0.1) })
  }

  private mutating func processed(_ elements: [JSONValue], at path: ClaimPath) throws(JOSEError) -> [JSONValue] {
    var result: [JSONValue] = []
    for element in elements {
      let ownPath = path.appending(.element(result.count))
      guard case .object(let object) = element, let digest = object["..."] else {
        result.append(try processed(element, at: ownPath))
        continue
      }
      guard object.count == 1, let digest = digest.nameValue else { throw Self.misplaced("...") }
      guard let (place, disclosure) = try disclosure(of: digest) else { continue }
      guard disclosure.name == nil else {
        throw JOSEError(.claimInvalid, "the disclosure of a member stands for an element", name: "...")
      }
      paths[place] = ownPath
      result.append(try processed(disclosure.value, at: ownPath))
    }
    return result
  }

  /// The disclosure of a digest, which may not have been met before; nil for one of a claim that is not shown.
  private mutating func disclosure(of digest: WireName) throws(JOSEError) -> (place: Int, disclosure: Disclosure)? {
    guard met.insert(digest).inserted else {
      throw JOSEError(.claimInvalid, "a digest occurs twice", name: "_sd")
    }
    return places[digest].map { ($0, disclosures[$0]) }
  }

  private static func digests(_ value: JSONValue?) throws(JOSEError) -> [WireName] {
    guard let value else { return [] }
    guard let elements = value.arrayValue else { throw misplaced("_sd") }
    let digests = elements.compactMap(\.nameValue)
    guard digests.count == elements.count else { throw misplaced("_sd") }
    return digests
  }

  private static func misplaced(_ name: String) -> JOSEError {
    JOSEError(.claimInvalid, "digests are strings in the array _sd, or the one member ... of an element", name: name)
  }
}
