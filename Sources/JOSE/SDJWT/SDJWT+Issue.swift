import PureCrypto
import StrictJSON

extension SDJWT {
  /// Signs a claims set. The holder of the token may keep some of the claims from a verifier.
  ///
  /// ```swift
  /// let token = try SDJWT.issue(
  ///   claims, disclosing: ["email", ["address", "street"], ["nationalities", 0]], holder: walletKey, with: key,
  ///   type: "dc+sd-jwt")
  /// ```
  /// - Parameters:
  ///   - claims: encoded as a JSON object, as by ``JWT/sign(_:with:type:header:)``.
  ///   - paths: the claims that the holder may keep. One inside another takes two disclosures to be shown.
  ///   - decoys: how many digests without a claim stand beside those of each object and array, so that their number
  ///     tells less of the claims that are kept.
  ///   - holder: the holder's key, which proves who shows the token; written as `cnf`.
  ///   - hash: of disclosures, written as `_sd_alg` unless it is SHA-256.
  ///   - key: the issuer's.
  ///   - type: `typ`, which says what the token is for. `dc+sd-jwt` is that of credentials, whose `iss`, `nbf`, `exp`,
  ///     `cnf`, `vct`, `vct#integrity`, `aka_vcts` and `status` can't be kept.
  ///   - header: further header parameters.
  /// - Throws: ``ErrorCode/callerMisuse`` for a path that leads nowhere, a claim with a name of the format (`_sd`,
  ///   `...`, `_sd_alg`), one that a credential can't keep or a second `cnf`; ``ErrorCode/limitExceeded`` for more
  ///   disclosures than are read; ``ErrorCode/claimMissing`` or ``ErrorCode/claimInvalid`` for `vct` or `aka_vcts` of a
  ///   credential; otherwise as ``JWT/sign(_:with:type:header:)``.
  /// Source: RFC 9901 §4, §5; draft-ietf-oauth-sd-jwt-vc §2.2.
  public static func issue(
    _ claims: some Encodable, disclosing paths: [ClaimPath], decoys: Int = 0, holder: JWK? = nil,
    hash: ThumbprintHash = .sha256, with key: SigningKey, type: String,
    header: HeaderParameters = HeaderParameters()
  ) throws(JOSEError) -> SDJWT {
    var payload = try JSONObject(parsing: JWT.payload(claims), within: Limits.default.claimsJSON)
    guard payload["_sd_alg"] == nil else { throw reserved("_sd_alg") }
    if let holder {
      guard payload["cnf"] == nil else {
        throw JOSEError(.callerMisuse, "the claims have a holder's key already", name: "cnf")
      }
      payload["cnf"] = ["jwk": .object(try holder.publicJSONObject())]
    }
    let isCredential = TypePolicy.isSameMediaType(type, credentialType)
    for path in paths where isCredential {
      guard !keepsOpen(path) else {
        throw JOSEError(.callerMisuse, "a credential shows the claim always", name: path.description)
      }
    }
    if isCredential { _ = try JOSEError.byCaller { () throws(JOSEError) in try CredentialTypes(payload) } }
    guard paths.count <= Limits.default.disclosureCount else {
      throw JOSEError.notReadable("a token has more disclosures than are read", "disclosureCount")
    }
    guard (0...1000).contains(decoys) else {
      throw JOSEError(.callerMisuse, "there are 0 to 1000 decoys at each place", name: "decoys")
    }
    var hiding = Hiding(paths: Set(paths), decoys: decoys, hash: hash)
    var hidden = try hiding.hidden(payload, at: ClaimPath([]))
    if let path = paths.first(where: { !hiding.found.contains($0) }) {
      throw JOSEError(.callerMisuse, "no claim stands at the path", name: path.description)
    }
    if hash != .sha256 { hidden["_sd_alg"] = .string(hash.name) }
    let token = try JWT.sign(hidden, with: key, type: type, header: header)
    return SDJWT(issuerToken: token, disclosures: hiding.disclosures)
  }

  /// `typ` of credentials (draft-ietf-oauth-sd-jwt-vc §2.2.1).
  static let credentialType = "dc+sd-jwt"

  /// Whether a credential shows what stands at the path always.
  static func keepsOpen(_ path: ClaimPath) -> Bool {
    guard case .member(let name)? = path.steps.first?.kind else { return false }
    return openNames.contains(name)
  }

  private static let openNames: [WireName] = [
    "iss", "nbf", "exp", "cnf", "vct", "vct#integrity", "aka_vcts", "status",
  ]

  fileprivate static func reserved(_ name: String) -> JOSEError {
    JOSEError(.callerMisuse, "the claim has a name that belongs to the format", name: name)
  }
}

/// A claims set on its way into digests.
private struct Hiding {
  let paths: Set<ClaimPath>
  let decoys: Int
  let hash: ThumbprintHash
  private(set) var disclosures: [Disclosure] = []
  private(set) var found: Set<ClaimPath> = []

  init(paths: Set<ClaimPath>, decoys: Int, hash: ThumbprintHash) {
    (self.paths, self.decoys, self.hash) = (paths, decoys, hash)
  }

  private mutating func hidden(_ value: JSONValue, at path: ClaimPath) throws(JOSEError) -> JSONValue {
    switch value {
    case .object(let object): .object(try hidden(object, at: path))
    case .array(let elements): .array(try hidden(elements, at: path))
    case .null, .bool, .number, .string: value
    }
  }

  mutating func hidden(_ object: JSONObject, at path: ClaimPath) throws(JOSEError) -> JSONObject {
    var result: JSONObject = [:]
    var digests: [String] = []
    for (name, value) in object.members {
      guard !SDJWT.reservedNames.contains(name) else { throw SDJWT.reserved(name) }
      let ownPath = path.appending(.member(name))
      let inside = try hidden(value, at: ownPath)
      if paths.contains(ownPath) {
        digests.append(disclose(inside, named: name, at: ownPath))
      } else {
        result[name] = inside
      }
    }
    guard !digests.isEmpty else { return result }
    digests += (0..<decoys).map { _ in decoy() }
    // Sorted, the digests tell nothing of the order of the claims.
    result["_sd"] = .array(digests.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { .string($0) })
    return result
  }

  private mutating func hidden(_ elements: [JSONValue], at path: ClaimPath) throws(JOSEError) -> [JSONValue] {
    var result: [JSONValue] = []
    var hides = false
    for (place, element) in elements.enumerated() {
      let ownPath = path.appending(.element(place))
      let inside = try hidden(element, at: ownPath)
      guard paths.contains(ownPath) else {
        result.append(inside)
        continue
      }
      hides = true
      result.append(["...": .string(disclose(inside, named: nil, at: ownPath))])
    }
    if hides {
      for _ in 0..<decoys { result.insert(["...": .string(decoy())], at: Self.randomPlace(upTo: result.count)) }
    }
    return result
  }

  /// One of the places before, between and behind `count` elements: ⌊random · (count + 1) / 2³²⌋.
  private static func randomPlace(upTo count: Int) -> Int {
    let random = SystemRandom.bytes(count: 4).reduce(0) { $0 &<< 8 | UInt64($1) }
    return Int(truncatingIfNeeded: random &* UInt64(truncatingIfNeeded: count &+ 1) &>> 32)
  }

  private mutating func disclose(_ value: JSONValue, named name: String?, at path: ClaimPath) -> String {
    let disclosure = Disclosure(name: name, value: value)
    disclosures.append(disclosure)
    found.insert(path)
    return disclosure.digest(hash).text
  }

  private func decoy() -> String { Base64URL.encode(SystemRandom.bytes(count: hash.digestByteCount)) }
}
