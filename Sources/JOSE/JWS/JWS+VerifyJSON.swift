import PureCrypto
import StrictJSON

extension JWS {
  /// Verifies a JWS in flattened or general JSON serialization.
  ///
  /// - Parameters:
  ///   - text: the JSON text, flattened or general. Nothing in it is trusted but what a required signature covers.
  ///   - requirement: whose signatures must be there.
  ///   - detachedPayload: the payload, if it came by another way; the message must then have none.
  ///   - acceptsUnprotectedAlgorithm: whether `alg` may stand in an unprotected header.
  ///   - understood: extensions that `crit` may name. `b64` is processed here; leave it out to refuse it.
  ///   - limits: bounds on the message's size and on the number of its signatures.
  /// - Throws: ``JOSEError``. If a single signature is there, what is wrong with it; otherwise
  ///   ``JOSEError/Code/signatureInvalid`` if the requirement is not met.
  public static func verifyJSON(
    _ text: String, requiring requirement: JWSRequirement, detachedPayload: [UInt8]? = nil,
    acceptsUnprotectedAlgorithm: Bool = false, understanding understood: [String] = ["b64"],
    limits: Limits = .default
  ) throws(JOSEError) -> VerifiedJSONJWS {
    let parsed = try ParsedJSONJWS(
      text, detachedPayload: detachedPayload, acceptsUnprotectedAlgorithm: acceptsUnprotectedAlgorithm,
      understanding: understood, limits: limits)
    return try parsed.verified(requirement, limits: limits)
  }
}

/// A JWS in JSON serialization whose form is legal, and about which nothing else is known.
private struct ParsedJSONJWS {
  /// A signature, or why it can't count.
  private typealias Entry = Result<JWSEntry, JOSEError>

  private let payload: [UInt8]
  private let entries: [Entry]

  init(
    _ text: String, detachedPayload: [UInt8]?, acceptsUnprotectedAlgorithm: Bool, understanding understood: [String],
    limits: Limits
  ) throws(JOSEError) {
    let object = try JSONObject(parsing: text.utf8, within: limits.messageJSON)
    let parts = try Self.signatureObjects(object, limits: limits)
    var headers: [(text: [UInt8], union: HeaderUnion)] = []
    for part in parts {
      let (text, header) = try part.protectedHeader(limits: limits)
      headers.append((text, try HeaderUnion(protected: header, unprotected: [part.serializationObject("header")])))
    }
    let encoding = try Self.encoding(headers.map(\.union.protected))
    payload = try Self.payload(object, detached: detachedPayload, encoding: encoding, limits: limits)
    var entries: [Entry] = []
    for (part, header) in zip(parts, headers) {
      guard
        let (_, signature) = try part.serializationOctets(
          "signature", byteLimit: limits.signatureByteCount, limitName: "signatureByteCount")
      else { throw JOSEError(.malformed, "a signature is absent", name: "signature") }
      let keyID = try header.union.keyID(limits: limits)
      let signingInput = JWS.signingInput(header: header.text, payload: payload, encoding: encoding)
      do throws(JOSEError) {
        let protected = try ProtectedHeader(
          header.union.protected,
          unprotectedAlgorithm: acceptsUnprotectedAlgorithm ? header.union.unprotected.headerString("alg") : nil,
          understanding: understood, limits: limits)
        entries.append(
          .success(
            JWSEntry(
              header: protected, unprotectedHeader: header.union.unprotected, keyID: keyID, signature: signature,
              signingInput: signingInput)))
      } catch {
        entries.append(.failure(error))
      }
    }
    self.entries = entries
  }

  /// The objects that hold signatures: the message itself if it is flattened.
  private static func signatureObjects(_ object: JSONObject, limits: Limits) throws(JOSEError) -> [JSONObject] {
    guard let value = object["signatures"] else { return [object] }
    for name in ["signature", "protected", "header"] where object[name] != nil {
      throw JOSEError(.malformed, "the message is both flattened and general", name: name)
    }
    guard case .array(let elements) = value, !elements.isEmpty else {
      throw JOSEError(.malformed, "the signatures are no array, or an empty one", name: "signatures")
    }
    guard elements.count <= limits.signatureCount else {
      throw JOSEError(.limitExceeded, "the message has too many signatures", name: "signatureCount")
    }
    var objects: [JSONObject] = []
    for element in elements {
      guard case .object(let object) = element else {
        throw JOSEError(.malformed, "a signature is no object", name: "signatures")
      }
      objects.append(object)
    }
    return objects
  }

  /// All signatures must agree on how the payload is encoded (RFC 7797 §3).
  private static func encoding(_ headers: [JSONObject]) throws(JOSEError) -> JWSPayloadEncoding {
    let isEncoded = headers.map { $0["b64"] != .bool(false) }
    guard isEncoded.allSatisfy({ $0 == isEncoded[0] }) else {
      throw JOSEError(.headerInvalid, "the signatures disagree on the payload's encoding", name: "b64")
    }
    return isEncoded[0] ? .base64url : .unencoded
  }

  private static func payload(
    _ object: JSONObject, detached: [UInt8]?, encoding: JWSPayloadEncoding, limits: Limits
  ) throws(JOSEError) -> [UInt8] {
    let text = try object.serializationText("payload")
    switch (text, detached) {
    case (nil, let detached?):
      guard detached.count <= limits.messageByteCount else {
        throw JOSEError(.limitExceeded, "the payload is too long", name: "messageByteCount")
      }
      return detached
    case (let text?, nil): return encoding == .unencoded ? Array(text.utf8) : try Base64URL.decode(text)
    default: throw JOSEError(.malformed, "the payload must be in the message or given apart, not both", name: "payload")
    }
  }

  func verified(_ requirement: JWSRequirement, limits: Limits) throws(JOSEError) -> VerifiedJSONJWS {
    var signatures: [VerifiedJSONJWS.Signature] = []
    var refusal = JOSEError(.signatureInvalid, "the signatures required are not there")
    for (index, entry) in entries.enumerated() {
      do throws(JOSEError) {
        let entry = try entry.get()
        let key = try entry.verifyingKey(among: keys(requirement, for: entry, limits: limits))
        signatures.append(
          VerifiedJSONJWS.Signature(
            index: index, header: entry.header, unprotectedHeader: entry.unprotectedHeader, key: key))
      } catch {
        guard error.code != .callerMisuse else { throw error }
        if entries.count == 1 { refusal = error }
      }
    }
    guard !signatures.isEmpty else { throw refusal }
    if case .allOf(let keys) = requirement.rule {
      guard signatures.count == entries.count, keys.allSatisfy({ isUsed($0, by: signatures) }) else { throw refusal }
    }
    return VerifiedJSONJWS(payload: payload, signatures: signatures)
  }

  private func keys(
    _ requirement: JWSRequirement, for entry: JWSEntry, limits: Limits
  ) throws(JOSEError) -> [VerificationKey] {
    switch requirement.rule {
    case .any(let source): return try entry.keys(source, limits: limits)
    case .anyOf(let keys), .allOf(let keys):
      guard !keys.isEmpty else { throw JOSEError(.callerMisuse, "the list of keys is empty", name: "keys") }
      return try entry.keys(among: keys, limits: limits)
    }
  }

  /// Whether a key made one of the signatures: it verifies one anew, so that equal keys under two names count for both.
  private func isUsed(_ key: VerificationKey, by signatures: [VerifiedJSONJWS.Signature]) -> Bool {
    signatures.contains { signature in
      guard case .success(let entry) = entries[signature.index],
        entry.header.algorithm.hasSameBytes(as: key.algorithm.name)
      else { return false }
      return (try? entry.verifyingKey(among: [key])) != nil
    }
  }
}
