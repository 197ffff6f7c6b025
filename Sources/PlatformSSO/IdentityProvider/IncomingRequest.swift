import HTTPValues
import JOSE

/// A form that a device posted, with the one signed request in it. Nothing is known to be authentic yet.
struct IncomingRequest: Sendable {
  let fields: FormFields
  let token: String
  let clientRequestID: String?

  /// Checks the HTTP form: method, content type, size, and the fields that decide something.
  ///
  /// - Parameter versions: what `platform_sso_version` may be.
  init(
    _ request: HTTPRequestValue, versions: [String], configuration: IdentityProviderConfiguration
  ) throws(PlatformSSOError) {
    fields = try FormFields(postedBy: request, configuration: configuration)
    clientRequestID = try request.clientRequestID(rule: configuration.clientRequestID)
    let names = configuration.requestParameterNames
    let tokens = try names.compactMap { name throws(PlatformSSOError) in try fields.only(name) }
    guard let token = tokens.first else {
      throw PlatformSSOError(.fieldMissing, "the form has no signed request", name: names.first)
    }
    guard tokens.count == 1 else {
      throw PlatformSSOError(.formInvalid, "the form has more than one signed request", name: names.first)
    }
    self.token = token
    guard let grantType = try fields.only("grant_type") else {
      throw PlatformSSOError(.fieldMissing, "the form has no grant type", name: "grant_type")
    }
    guard grantType.hasSameBytes(as: GrantType.jwtBearer) else {
      throw PlatformSSOError(.fieldInvalid, "the form's grant type is another one", name: "grant_type")
    }
    guard let version = try fields.only("platform_sso_version") else {
      throw PlatformSSOError(.fieldMissing, "the form has no version", name: "platform_sso_version")
    }
    guard versions.containsBytes(of: version) else {
      throw PlatformSSOError(.fieldInvalid, "the version is not one of this request", name: "platform_sso_version")
    }
  }

  /// Versions of login and refresh requests: Apple's table has `1`, its sample and every Mac `1.0`.
  static let tokenVersions = ["1.0", "1"]
  /// Version of key and key exchange requests.
  static let keyVersions = ["2.0"]
}
