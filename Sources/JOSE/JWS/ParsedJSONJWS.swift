import StrictJSON

/// A JWS in JSON serialization whose form is legal, and about which nothing else is known.
struct ParsedJSONJWS {
  /// A signature, or why it can't count.
  typealias Entry = Result<JWSEntry, JOSEError>

  let payload: [UInt8]
  let entries: [Entry]

  /// Takes a message apart. Algorithms are judged before headers are compared: a message with none that is accepted
  /// costs no more than its parsing.
  ///
  /// - Parameter algorithmNames: what some signature's `alg` must be one of.
  init(
    _ text: String, accepting algorithmNames: [WireName], detachedPayload: [UInt8]?, acceptsUnprotectedAlgorithm: Bool,
    understanding understood: [String], limits: Limits
  ) throws(JOSEError) {
    let document = try JSONDocument(parsingMessage: text.utf8, limits: limits)
    let message = document.root
    let parts = try Self.signatureParts(message, limits: limits)
    var budget = HeaderBudget(limits)
    var headers: [(text: [UInt8], protected: JSONObject)] = []
    for part in parts {
      let (text, header) = try part.protectedHeader(limits: limits, budget: &budget)
      headers.append((text, header))
    }
    let encoding = try Self.encoding(headers.map(\.protected))
    let content = try SignedContent(message, detached: detachedPayload, encoding: encoding, limits: limits)
    var signatures: [[UInt8]] = []
    for part in parts {
      guard
        let (_, signature) = try part.serializationOctets(
          "signature", byteLimit: limits.signatureByteCount, limitName: "signatureByteCount")
      else { throw JOSEError(.malformed, "a signature is absent", name: "signature") }
      signatures.append(signature)
    }
    var isAccepted = false
    for (part, header) in zip(parts, headers) {
      let own = try part.serializationObject("header")
      guard let name = try header.protected.string(ifPresent: "alg", orThrow: .headerInvalid) ?? own?.headerText("alg")
      else { continue }
      isAccepted = isAccepted || algorithmNames.contains(name)
    }
    guard isAccepted else { throw Self.refusal(headers[0].protected, of: parts.count, own: parts[0]["header"]) }

    var unions: [HeaderUnion] = []
    for (part, header) in zip(parts, headers) {
      let own = try part.unprotectedHeader("header", budget: &budget)
      unions.append(try HeaderUnion(SharedHeaders(protected: header.protected), own: own))
    }
    payload = content.payload
    var entries: [Entry] = []
    for (index, union) in unions.enumerated() {
      let keyID = try union.keyID(limits: limits)
      do throws(JOSEError) {
        let protected = try ProtectedHeader(
          union.protected,
          unprotectedAlgorithm: acceptsUnprotectedAlgorithm
            ? union.unprotected.string(ifPresent: "alg", orThrow: .headerInvalid) : nil,
          understanding: understood, limits: limits)
        entries.append(
          .success(
            JWSEntry(
              header: protected, unprotectedHeader: union.unprotected, keyID: keyID, signature: signatures[index],
              headerText: headers[index].text, content: content)))
      } catch {
        entries.append(.failure(error))
      }
    }
    self.entries = entries
  }

  /// Why a message counts for nothing none of whose algorithms is accepted: what is wrong with a single signature,
  /// otherwise that the required ones are not there.
  private static func refusal(_ protected: JSONObject, of count: Int, own: JSONView?) -> JOSEError {
    guard count == 1 else { return signaturesMissing }
    guard protected["alg"] != nil || own?["alg"] != nil else {
      return JOSEError(.headerInvalid, "the parameter is absent", name: "alg")
    }
    return VerificationKeySource.notAllowed(protected["alg"]?.stringValue ?? own?.headerText("alg") ?? "")
  }

  private static var signaturesMissing: JOSEError {
    JOSEError(.signatureInvalid, "a required signature is missing")
  }

  /// The objects that hold signatures: the message itself if it is flattened.
  private static func signatureParts(_ message: JSONView, limits: Limits) throws(JOSEError) -> [JSONView] {
    guard message["signatures"] != nil else { return [message] }
    for name in ["signature", "protected", "header"] where message[name] != nil {
      throw JOSEError(.malformed, "the message is both flattened and general", name: name)
    }
    return
      try message.serializationObjects("signatures", countLimit: limits.signatureCount, limitName: "signatureCount")
      ?? []
  }

  /// All signatures must agree on how the payload is encoded (RFC 7797 §3).
  private static func encoding(_ headers: [JSONObject]) throws(JOSEError) -> JWSPayloadEncoding {
    let isEncoded = headers.map { $0["b64"] != .bool(false) }
    guard isEncoded.allSatisfy({ $0 == isEncoded[0] }) else {
      throw JOSEError(.headerInvalid, "the signatures disagree on the payload's encoding", name: "b64")
    }
    return isEncoded[0] ? .base64url : .unencoded
  }

  func verified(_ requirement: JWSRequirement, limits: Limits) throws(JOSEError) -> VerifiedJSONJWS {
    var signatures: [VerifiedJSONJWS.Signature] = []
    var usedPlaces: Set<Int> = []
    var refusal = Self.signaturesMissing
    var work = WorkBudget(
      limits, freeOperationCount: requirement.signatureCount, freePassCount: requirement.signatureCount)
    for (index, entry) in entries.enumerated() {
      do throws(JOSEError) {
        let entry = try entry.get()
        let key: VerificationKey
        switch requirement.rule {
        case .any(let source):
          key = try entry.verifyingKey(among: entry.keys(source, limits: limits), work: &work)
        case .anyOf(let keys), .allOf(let keys):
          let place = try entry.verifyingPlace(
            among: keys, places: entry.places(among: keys, limits: limits), work: &work)
          usedPlaces.insert(place)
          key = keys[place]
        }
        signatures.append(
          VerifiedJSONJWS.Signature(
            index: index, header: entry.header, unprotectedHeader: entry.unprotectedHeader, key: key))
      } catch {
        guard error.code != .callerMisuse, error != WorkBudget.exhausted else { throw error }
        if entries.count == 1 { refusal = error }
      }
    }
    guard !signatures.isEmpty else { throw refusal }
    if case .allOf(let keys) = requirement.rule {
      guard signatures.count == entries.count else { throw refusal }
      for place in keys.indices where !usedPlaces.contains(place) {
        guard try isUsed(keys[place], by: signatures, work: &work) else { throw refusal }
      }
    }
    return VerifiedJSONJWS(payload: payload, signatures: signatures)
  }

  /// Whether a key verifies one of the signatures that another key has verified: equal keys under two names count for
  /// both.
  private func isUsed(
    _ key: VerificationKey, by signatures: [VerifiedJSONJWS.Signature], work: inout WorkBudget
  ) throws(JOSEError) -> Bool {
    for signature in signatures {
      guard case .success(let entry) = entries[signature.index],
        entry.header.algorithmName == key.algorithm.name
      else { continue }
      do throws(JOSEError) {
        _ = try entry.verifyingKey(among: [key], work: &work)
        return true
      } catch {
        guard error != WorkBudget.exhausted else { throw error }
      }
    }
    return false
  }
}
