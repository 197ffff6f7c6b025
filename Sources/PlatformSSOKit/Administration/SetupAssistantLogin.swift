import JOSE
import StrictJSON

/// What a server of device management asks Setup Assistant for before a Mac is enrolled: that Platform SSO is set up
/// first (macOS 26). It answers the request for the enrollment profile with ``response``.
///
/// Source: Apple, device management, ErrorCodePlatformSSORequired.
public struct SetupAssistantLogin: Sendable, Hashable {
  package var profileURL: String
  package var authenticationURL: String
  package var packageManifestURL: String?

  /// The code by which Setup Assistant knows the answer.
  private static let code = "com.apple.psso.required"
  private static let returnAddress = "apple-remotemanagement-user-login://authentication-results"

  /// A login by the extension of a profile.
  ///
  /// - Parameters:
  ///   - profileURL: where the profile with ``ExtensibleSSOProfile`` is.
  ///   - authenticationURL: the page where the user logs in, which ends at ``returnURL(accessToken:)``.
  ///   - packageManifestURL: where the manifest of the package with the extension is; nil if the Mac needs none.
  public init(profileURL: String, authenticationURL: String, packageManifestURL: String? = nil) {
    (self.profileURL, self.authenticationURL) = (profileURL, authenticationURL)
    self.packageManifestURL = packageManifestURL
  }

  /// The answer 403 to the request for the enrollment profile.
  public var response: HTTPResponseValue {
    var details: JSONObject = ["ProfileURL": .string(profileURL), "AuthURL": .string(authenticationURL)]
    if let packageManifestURL { details["Package"] = ["ManifestURL": .string(packageManifestURL)] }
    let body: JSONObject = [
      "code": .string(Self.code), "description": "Platform SSO must be set up before the enrollment",
      "details": .object(details),
    ]
    return .json(403, body)
  }

  /// What an answer asks for, as Setup Assistant reads it; nil for an answer that is none of these.
  ///
  /// - Throws: `ErrorCode.malformed`, `ErrorCode.claimMissing` or `ErrorCode.claimInvalid` with the name of a detail:
  ///   addresses are of https.
  package init?(_ response: HTTPResponseValue) throws(JOSEError) {
    guard response.status == 403, let body = try? JSONObject(parsing: response.body, within: Limits.default.claimsJSON),
      body["code"] == .string(Self.code)
    else { return nil }
    guard let details = body["details"]?.objectValue else {
      throw JOSEError(.claimMissing, "the response has no details", name: "details")
    }
    func address(_ object: JSONObject, _ name: String) throws(JOSEError) -> String {
      guard let text = try object.string(ifPresent: name, orThrow: .claimInvalid) else {
        throw JOSEError(.claimMissing, "the details name no address", name: name)
      }
      guard PlainHTTP.refused.permits(text) else {
        throw JOSEError(.claimInvalid, "the address is not an https URL", name: name)
      }
      return text
    }
    self.init(profileURL: try address(details, "ProfileURL"), authenticationURL: try address(details, "AuthURL"))
    if let package = try details.object(ifPresent: "Package", orThrow: .claimInvalid) {
      packageManifestURL = try address(package, "ManifestURL")
    }
  }

  /// Where the page sends the browser once the user has logged in: back to Setup Assistant, which enrolls with this
  /// token.
  public static func returnURL(accessToken: String) -> String {
    var query = FormFields()
    query.append("access-token", accessToken)
    return returnAddress + "?" + String(decoding: query.encoded(), as: UTF8.self)
  }

  /// The token in such an address; nil for another address, or one without it.
  package static func accessToken(inReturnURL url: String) -> String? {
    let parts = url.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, String(Substring(parts[0])).hasSameBytesIgnoringASCIICase(as: returnAddress),
      let fields = try? FormFields(decoding: parts[1]), let token = try? fields.requiredValue("access-token")
    else { return nil }
    return token
  }
}
