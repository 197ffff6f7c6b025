import StrictJSON

/// What kind of credential a token says to be: its `vct`, and the further types of `aka_vcts`.
///
/// Source: draft-ietf-oauth-sd-jwt-vc §2.2.2.
struct CredentialTypes {
  let type: WireName
  let furtherTypes: [WireName]

  /// - Throws: ``ErrorCode/claimMissing`` without `vct`; ``ErrorCode/claimInvalid`` for one that is no text or empty,
  ///   and for `aka_vcts` that is no array of other types, or has none.
  init(_ claims: JSONObject) throws(JOSEError) {
    guard let type = claims["vct"], type != .null else { throw ClaimsUnderRule.missing("vct") }
    guard let name = type.nameValue, !name.text.isEmpty else {
      throw JOSEError(.claimInvalid, "the type of a credential is a text", name: "vct")
    }
    self.type = name
    guard let further = claims["aka_vcts"] else {
      furtherTypes = []
      return
    }
    let names = further.arrayValue?.compactMap(\.nameValue) ?? []
    guard !names.isEmpty, names.count == further.arrayValue?.count, Set(names).count == names.count,
      names.allSatisfy({ !$0.text.isEmpty && $0 != name })
    else {
      throw JOSEError(
        .claimInvalid, "further types of a credential are an array of names, each once, vct not among them",
        name: "aka_vcts")
    }
    furtherTypes = names
  }
}
