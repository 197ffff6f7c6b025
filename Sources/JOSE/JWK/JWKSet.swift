import StrictJSON

/// A JSON Web Key Set.
///
/// A set loads even if some of its entries can't be used: these stay visible in ``unsupportedKeys`` with a reason and
/// are never chosen. Symmetric keys that share a `kid` are such entries: a secret is known by its name alone, so a name
/// for two is a mistake.
///
/// Source: RFC 7517 §4.5 and §5.
public struct JWKSet: Sendable {
  /// An entry that can't be used.
  public struct UnsupportedKey: Sendable {
    /// The entry's place in the set, from 0.
    public let index: Int
    /// The entry's `kid`, if it is a string.
    public let keyID: String?
    /// Why it can't be used.
    public let reason: JOSEError
  }

  /// The keys that can be used, in the order of the set.
  public let keys: [JWK]

  /// The entries that can't be used.
  public let unsupportedKeys: [UnsupportedKey]

  /// What verification has prepared of ``keys``, shared by copies of the set.
  let boundKeys = BoundKeyCache()

  /// Whether a key that is not in the set does not exist. False of keys that were fetched before the token that they
  /// judge was there.
  package var isLatest = true

  /// A set of keys.
  public init(_ keys: [JWK]) {
    self.keys = keys
    self.unsupportedKeys = []
  }

  /// Reads a set from JSON text.
  ///
  /// - Parameters:
  ///   - json: the text.
  ///   - acceptsSecretKeys: whether symmetric and private keys may be used, as in the program's own key file. In a set
  ///     that came over a network a secret has no business: there they are reported as unsupported.
  ///   - limits: bounds on the text and its keys.
  /// - Throws: ``ErrorCode/malformed`` if the text is not an object with an array `keys`,
  ///   ``ErrorCode/limitExceeded`` if the text is too long or has too many keys. A wrong entry is not an error.
  public init(
    parsing json: some Collection<UInt8>, acceptsSecretKeys: Bool = false, limits: Limits = .default
  ) throws(JOSEError) {
    try JOSEError.require(json.count, within: limits.keySetJSON, named: "keySetByteCount")
    let document: JSONDocument
    do throws(JSONError) {
      // The set and its array lie around an entry, which is read anew below: what is wrong with it concerns no other
      // entry.
      document = try JSONDocument(parsing: Array(json), limits: limits.keySetJSON, unexaminedNamesDepth: 2)
    } catch {
      throw JOSEError(noKeyInJSON: json) ?? JOSEError(json: error)
    }
    guard document.root.kind == .object else { throw JOSEError(.malformed, "the key set is not a JSON object") }
    guard let entries = document.root["keys"], entries.kind == .array else {
      let text: StaticString =
        document.root["kty"] != nil
        ? "this is one key and no set: read it with JWK(parsing:), and give JWKSet([key])"
        : document.root["jwks_uri"] != nil
          ? "this is an issuer's metadata: the key set lies at its jwks_uri"
          : "a key set is an object with an array \"keys\""
      throw JOSEError(.malformed, text, name: "keys")
    }
    var objects: [Result<JSONObject, JOSEError>] = []
    for entry in entries.elements {
      guard objects.count < limits.keySetKeyCount else {
        throw JOSEError(.limitExceeded, "the key set has too many keys", name: "keySetKeyCount")
      }
      objects.append(Self.object(entry, limits: limits))
    }
    let ambiguousNames = Self.namesOfSeveralSecrets(in: objects)
    var keys: [JWK] = []
    var unsupported: [UnsupportedKey] = []
    var modulusWork = Self.modulusWork
    for (index, entry) in objects.enumerated() {
      do throws(JOSEError) {
        let members = try entry.get()
        // Before anything is computed: to see whether the parts of a private key belong together costs as much as to
        // use it.
        guard acceptsSecretKeys || !Self.isSecret(members) else {
          throw JOSEError(
            .keyInvalid,
            "a private or symmetric key in a set of public keys: publish its publicKey, or set acceptsSecretKeys",
            name: "kty")
        }
        try Self.spend(&modulusWork, on: members)
        let key = try JWK(members, limits: limits)
        if key.keyType == .oct, let name = key.keyName, ambiguousNames.contains(name) {
          throw JOSEError(.keyInvalid, "another symmetric key of the set has the same name", name: "kid")
        }
        keys.append(key)
      } catch {
        var keyID: String?
        if case .success(let members) = entry, case .string(let text)? = members["kid"],
          text.utf8.count <= limits.keyIDByteCount
        {
          keyID = text
        }
        unsupported.append(UnsupportedKey(index: index, keyID: keyID, reason: error))
      }
    }
    self.keys = keys
    self.unsupportedKeys = unsupported
  }

  /// An entry's members. An entry with a duplicate member is rejected.
  private static func object(_ entry: JSONView, limits: Limits) -> Result<JSONObject, JOSEError> {
    guard entry.kind == .object else {
      return .failure(JOSEError(.malformed, "an entry of the key set is not an object", name: "keys"))
    }
    do throws(JOSEError) {
      return .success(try JSONObject(parsing: entry.text, within: limits.keySetJSON))
    } catch {
      return .failure(error)
    }
  }

  /// What the RSA keys of a set may cost together before they are used, in units of about a microsecond: a modulus is
  /// prepared when it is read. Enough for 256 keys of 4096 bits, or for 89 of 8192.
  private static let modulusWork = 10_000

  /// Takes what preparing an entry's modulus costs, which grows with the square of its length.
  private static func spend(_ work: inout Int, on members: JSONObject) throws(JOSEError) {
    guard case .string(let modulus)? = members["n"] else { return }
    let kibibits = Double(modulus.utf8.count) * 6 / 1024
    let cost = Int(min(1.75 * kibibits * kibibits, Double(Self.modulusWork)))
    guard cost <= work else {
      throw JOSEError(.limitExceeded, "the RSA moduli of the key set are too long in total", name: "n")
    }
    work -= cost
  }

  /// Whether an entry is a private or symmetric key, sound or not.
  private static func isSecret(_ members: JSONObject) -> Bool {
    if members["d"] != nil || members["priv"] != nil { return true }
    return members["kty"] == "oct"
  }

  /// The `kid` values that more than one symmetric key bears, sound or not.
  private static func namesOfSeveralSecrets(in entries: [Result<JSONObject, JOSEError>]) -> Set<WireName> {
    var names: Set<WireName> = []
    var repeated: Set<WireName> = []
    for case .success(let members) in entries {
      guard members["kty"] == "oct", let name = members["kid"]?.nameValue else { continue }
      if !names.insert(name).inserted { repeated.insert(name) }
    }
    return repeated
  }

  /// Reads a set from JSON text.
  ///
  /// - Throws: as ``init(parsing:acceptsSecretKeys:limits:)-(Collection<UInt8>,_,_)``.
  public init(
    parsing json: String, acceptsSecretKeys: Bool = false, limits: Limits = .default
  ) throws(JOSEError) {
    try self.init(parsing: json.utf8, acceptsSecretKeys: acceptsSecretKeys, limits: limits)
  }

  /// The public members of the keys, as JSON. Symmetric keys are left out.
  public func serialized() -> [UInt8] {
    let publicKeys = keys.compactMap { key in (try? key.publicJSONObject()).map { JSONValue.object($0) } }
    let object: JSONObject = ["keys": .array(publicKeys)]
    return object.serialized()
  }
}

extension JWKSet {
  /// The keys to try for a token, each bound to the one algorithm that `bind` gives it.
  ///
  /// A `kid` of the token is compared as bytes, and if no key bears it none is used: there is no fallback to another
  /// key.
  /// - Throws: ``ErrorCode/keyNotFound`` if no key bears the `kid`, or no key fits at all;
  ///   ``ErrorCode/keyMismatch`` if keys bear the `kid` but none may be used for this algorithm.
  func candidates<Key>(
    keyID: String?, limits: Limits, bind: (_ index: Int, JWK) throws(JOSEError) -> Key
  ) throws(JOSEError) -> [Key] {
    var candidates: [Key] = []
    var refusal: JOSEError?
    for (index, key) in keys.enumerated() where key.isMeant(byKeyID: keyID) {
      do throws(JOSEError) {
        candidates.append(try bind(index, key))
      } catch {
        refusal = error
      }
      guard candidates.count <= limits.candidateKeyCount else {
        throw JOSEError(.keyNotFound, "too many keys fit the token", name: "candidateKeyCount")
      }
    }
    guard candidates.isEmpty else { return candidates }
    if let refusal, keyID != nil { throw refusal }
    let text: StaticString =
      keys.isEmpty
      ? "the key set is empty: see unsupportedKeys, or fetch it again"
      : keyID == nil
        ? "the token names no key, and none of the set has a type, use and algorithm that fit its alg"
        : "no key of the set has the token's kid: fetch the set again, from the issuer of the token"
    // Who names no key asks for none that is new.
    throw JOSEError(.keyNotFound, text, name: "kid", fault: isLatest || keyID == nil ? nil : .unavailable)
  }
}

extension JWK {
  /// Whether a token with this `kid`, or without one, may mean the key.
  func isMeant(byKeyID keyID: String?) -> Bool { keyID.map { keyName == WireName($0) } ?? true }
}
