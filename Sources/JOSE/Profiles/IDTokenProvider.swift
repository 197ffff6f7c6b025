/// Who issues ID tokens, and what is peculiar to them.
public struct IDTokenProvider: Sendable {
  /// Which `iss` is accepted. With tenants it follows from `tid`.
  let issuer: IssuerPolicy
  let rule: ClaimRule?

  /// Where the provider publishes its keys, if that is known without asking its metadata.
  public let keySetURL: String?

  /// Any OpenID provider of this issuer identifier, which is compared as it is written: with or without a slash at its
  /// end.
  public static func openID(issuer: String) -> IDTokenProvider {
    IDTokenProvider(issuer: .anyOf([issuer]), rule: nil, keySetURL: nil)
  }

  /// Google. Accept RS256.
  ///
  /// - Parameter hostedDomain: the Workspace domain that the account must belong to (`hd`), or nil for any account.
  public static func google(hostedDomain: String? = nil) -> IDTokenProvider {
    let rule = hostedDomain.map { domain in
      ClaimRule { token throws(JOSEError) in try token.require("hd", is: domain) }
    }
    return IDTokenProvider(
      issuer: .anyOf(["https://accounts.google.com", "accounts.google.com"]), rule: rule,
      keySetURL: "https://www.googleapis.com/oauth2/v3/certs")
  }

  /// Apple. Accept RS256. The library `AppleSignInKit` knows the rest of the protocol, such as the form of the nonce.
  public static var apple: IDTokenProvider {
    IDTokenProvider(
      issuer: .anyOf(["https://appleid.apple.com"]), rule: nil, keySetURL: "https://appleid.apple.com/auth/keys")
  }

  /// Microsoft Entra ID, tokens of version 2.0. Accept RS256, since its keys name no algorithm.
  ///
  /// The issuer has the tenant in it, so it is made of `tid` and compared; a key that is published for one issuer
  /// serves no other. Know an account by `tid` and `oid`, or by `iss` and `sub`, never by its e-mail address.
  /// - Parameter acceptsTenant: whether accounts of a tenant may log in. It is given `tid` in lower case: a GUID. For
  ///   every tenant there is, write `{ _ in true }`; personal accounts are tenant
  ///   `9188040d-6c67-4c5b-b112-36a304b66dad`.
  ///
  /// Source: OpenID Connect on the Microsoft identity platform, "Access token validation".
  public static func microsoft(acceptsTenant: @escaping @Sendable (String) -> Bool) -> IDTokenProvider {
    IDTokenProvider(
      issuer: .notChecked, rule: .microsoftTenant(acceptsTenant),
      keySetURL: "https://login.microsoftonline.com/common/discovery/v2.0/keys")
  }
}

extension ClaimRule {
  /// The issuer is made of the tenant, which is accepted, and so is the key's issuer: of every kind of token of Entra
  /// ID.
  static func microsoftTenant(_ acceptsTenant: @escaping @Sendable (String) -> Bool) -> ClaimRule {
    ClaimRule { token throws(JOSEError) in
      guard let tenant = try token.string("tid") else { throw ClaimsUnderRule.missing("tid") }
      guard UUIDText.isUUID(tenant) else { throw ClaimsUnderRule.invalid("the claim is not a tenant's name", "tid") }
      guard let issuer = token.registered.issuerName else { throw ClaimsUnderRule.missing("iss") }
      guard issuer == "https://login.microsoftonline.com/\(tenant)/v2.0" else {
        throw JOSEError(.claimMismatch, "the issuer must be the tenant's", name: "iss")
      }
      if let keyIssuer = token.key?.keyIssuer {
        guard substituted(keyIssuer, tenant: tenant) == issuer else {
          throw JOSEError(.claimMismatch, "the key belongs to another issuer", name: "iss")
        }
      }
      guard acceptsTenant(tenant.asciiLowercased) else {
        throw JOSEError(.claimMismatch, "the tenant is not accepted", name: "tid")
      }
      if let version = try token.name("ver"), version != "2.0" { throw ClaimsUnderRule.mismatch("ver") }
    }
  }

  /// A key's issuer with the tenant in the place that is left open for it, whose name comes in several cases of
  /// letters.
  private static func substituted(_ template: String, tenant: String) -> String {
    let place = Array("{tenantid}".utf8)
    let folded = Array(template.asciiLowercased.utf8)
    let octets = Array(template.utf8)
    guard octets.count >= place.count,
      let start = (0...(octets.count - place.count)).first(where: {
        folded[$0..<($0 + place.count)].elementsEqual(place)
      })
    else { return template }
    return String(
      decoding: octets[..<start] + Array(tenant.utf8) + octets[(start + place.count)...], as: UTF8.self)
  }
}
