import StrictJSON

/// What a verifier asks a wallet for, and whether what comes is that: the `dcql_query` of OpenID for Verifiable
/// Presentations, as far as it is about SD-JWT credentials.
///
/// ```swift
/// let query = try CredentialQuery(parsing: json)
/// for (name, text) in try query.presentations(in: vpToken) {
///   try query.require(verifier.verify(text), for: name)
/// }
/// ```
///
/// A presentation that has not been verified says nothing, so the types make it come first. How a query reaches a
/// wallet, and what comes back, is the application's. `trusted_authorities` are not read: a verifier trusts its keys.
///
/// Source: OpenID for Verifiable Presentations 1.0 §6, §7, §8.1.
public struct CredentialQuery: Sendable {
  /// One credential that is asked for.
  private struct Credential {
    let id: WireName
    let types: [WireName]
    let mayBeSeveral: Bool
    let needsHolder: Bool
    let claims: [ClaimsQuery]
    /// Names of claims, the verifier's favourite first; empty where all are wanted.
    let claimSets: [[WireName]]
  }

  private let credentials: [Credential]
  /// The sets that are required: of each, one option.
  private let requiredSets: [[[WireName]]]?

  /// Reads a query.
  ///
  /// - Throws: ``ErrorCode/malformed`` for what the specification forbids; ``ErrorCode/limitExceeded``;
  ///   ``ErrorCode/algorithmUnsupported`` for a credential of another format.
  public init(parsing json: some Collection<UInt8>, limits: Limits = .default) throws(JOSEError) {
    let query = try JSONObject(parsing: json, within: limits.claimsJSON)
    credentials = try Self.objects(query["credentials"], "credentials").map { object throws(JOSEError) in
      try Self.credential(object)
    }
    let names = credentials.map(\.id)
    guard Set(names).count == names.count else { throw Self.malformed("credentials") }
    guard let sets = query["credential_sets"] else {
      requiredSets = nil
      return
    }
    var required: [[[WireName]]] = []
    for set in try Self.objects(sets, "credential_sets") {
      let options = set["options"]?.arrayValue ?? []
      let ids = options.map { $0.arrayValue?.compactMap(\.nameValue) ?? [] }
      guard !ids.isEmpty, ids.allSatisfy({ !$0.isEmpty && $0.allSatisfy(names.contains) }),
        zip(ids, options).allSatisfy({ $0.count == $1.arrayValue?.count })
      else { throw Self.malformed("credential_sets") }
      if try Self.bool(set["required"], "credential_sets") ?? true { required.append(ids) }
    }
    requiredSets = required
  }

  /// The presentations of an answer, with the names of the credentials that they are for.
  ///
  /// - Parameter token: `vp_token`: for each name an array of presentations.
  /// - Throws: ``ErrorCode/malformed`` for another form, a name that was not asked for, and several presentations where
  ///   one was; ``ErrorCode/claimMissing`` for a credential that must be there.
  public func presentations(in token: JSONObject) throws(JOSEError) -> [(name: String, presentation: String)] {
    var result: [(name: String, presentation: String)] = []
    var found: [WireName] = []
    for (name, value) in token.members {
      let texts = value.arrayValue?.compactMap(\.stringValue) ?? []
      guard let credential = credential(name), !texts.isEmpty, texts.count == value.arrayValue?.count,
        texts.count == 1 || credential.mayBeSeveral
      else { throw Self.malformed("vp_token") }
      found.append(credential.id)
      result += texts.map { (name, $0) }
    }
    let isComplete =
      requiredSets.map { $0.allSatisfy { $0.contains { $0.allSatisfy(found.contains) } } }
      ?? credentials.allSatisfy { found.contains($0.id) }
    guard isComplete else {
      throw JOSEError(.claimMissing, "a credential that must be presented is absent", name: "vp_token")
    }
    return result
  }

  /// Requires that a presentation is what was asked for under a name.
  ///
  /// - Throws: ``ErrorCode/typeMismatch`` for a token that is no credential; ``ErrorCode/claimMismatch`` for another
  ///   type (`vct`) or a claim of another value, which is named by its
  ///   path; ``ErrorCode/claimMissing`` for a claim that is not shown, or a proof that is not there (`kb_jwt`);
  ///   ``ErrorCode/callerMisuse`` for a name that the query doesn't have.
  public func require(_ presentation: VerifiedSDJWT<JSONObject>, for name: String) throws(JOSEError) {
    guard let credential = credential(name) else {
      throw JOSEError(.callerMisuse, "the query has no credential of this name", name: "name")
    }
    guard let format = presentation.header.type, TypePolicy.isSameMediaType(format, SDJWT.credentialType) else {
      throw JOSEError(.typeMismatch, "the token is no credential: its typ is not dc+sd-jwt", name: "typ")
    }
    let type = presentation.claims["vct"]?.nameValue
    guard let type, credential.types.contains(type) else {
      throw JOSEError(.claimMismatch, "the credential is of another type", name: "vct")
    }
    guard !credential.needsHolder || presentation.keyBinding != nil else {
      throw JOSEError(.claimMissing, "the holder's proof was asked for and is not there", name: "kb_jwt")
    }
    let claims = JSONValue.object(presentation.claims)
    guard !credential.claimSets.isEmpty else {
      for query in credential.claims { try query.require(in: claims) }
      return
    }
    var refusal: JOSEError?
    for set in credential.claimSets {
      do throws(JOSEError) {
        for query in credential.claims where query.id.map(set.contains) == true { try query.require(in: claims) }
        return
      } catch {
        refusal = refusal ?? error
      }
    }
    if let refusal { throw refusal }
  }

  private func credential(_ name: String) -> Credential? { credentials.first { $0.id == name } }

  private static func credential(_ object: JSONObject) throws(JOSEError) -> Credential {
    guard let id = object["id"]?.nameValue, isIdentifier(id) else { throw malformed("id") }
    guard let format = object["format"]?.nameValue else { throw malformed("format") }
    guard format == SDJWT.credentialType else {
      throw JOSEError(.algorithmUnsupported, "credentials of the format dc+sd-jwt are judged here", name: "format")
    }
    let types = object["meta"]?.objectValue?["vct_values"]?.arrayValue ?? []
    guard !types.isEmpty, types.allSatisfy({ $0.stringValue != nil }) else { throw malformed("vct_values") }
    let claims = try object["claims"].map { value throws(JOSEError) in
      try objects(value, "claims").map { object throws(JOSEError) in try ClaimsQuery(object) }
    }
    let ids = (claims ?? []).compactMap(\.id)
    guard Set(ids).count == ids.count else { throw malformed("claims") }
    var sets: [[WireName]] = []
    if let value = object["claim_sets"] {
      let arrays = value.arrayValue ?? []
      sets = arrays.map { $0.arrayValue?.compactMap(\.nameValue) ?? [] }
      guard !sets.isEmpty, ids.count == claims?.count, sets.allSatisfy({ !$0.isEmpty && $0.allSatisfy(ids.contains) }),
        zip(sets, arrays).allSatisfy({ $0.count == $1.arrayValue?.count })
      else { throw malformed("claim_sets") }
    }
    return Credential(
      id: id, types: types.compactMap(\.nameValue), mayBeSeveral: try bool(object["multiple"], "multiple") ?? false,
      needsHolder: try bool(
        object["require_cryptographic_holder_binding"], "require_cryptographic_holder_binding") ?? true,
      claims: claims ?? [], claimSets: sets)
  }

  /// Letters, digits, `_` and `-`.
  static func isIdentifier(_ name: WireName) -> Bool {
    let text = name.text.utf8
    return !text.isEmpty && text.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x5F || $0 == 0x2D }
  }

  private static func objects(_ value: JSONValue?, _ name: String) throws(JOSEError) -> [JSONObject] {
    let elements = value?.arrayValue ?? []
    let objects = elements.compactMap(\.objectValue)
    guard !objects.isEmpty, objects.count == elements.count else { throw malformed(name) }
    return objects
  }

  private static func bool(_ value: JSONValue?, _ name: String) throws(JOSEError) -> Bool? {
    guard let value else { return nil }
    guard case .bool(let bool) = value else { throw malformed(name) }
    return bool
  }

  static func malformed(_ name: String) -> JOSEError {
    JOSEError(.malformed, "the query or the answer to it breaks its specification", name: name)
  }
}
