import JOSE
import StrictJSON

extension ExtensibleSSOProfile {
  /// The file `/.well-known/apple-app-site-association` that makes Macs trust the extension: served as JSON without a
  /// redirect, from each host that the extension answers for.
  ///
  /// - Parameter hostApplicationIdentifier: the bundle identifier of the application that holds the extension. macOS 15
  ///   and later want both.
  public func appSiteAssociation(hostApplicationIdentifier: String? = nil) -> JSONObject {
    let identifiers = [hostApplicationIdentifier, extensionIdentifier].compactMap { $0 }
    return ["authsrv": ["apps": .array(identifiers.map { .string("\(teamIdentifier).\($0)") })]]
  }

  /// What is wrong with the answer to `GET /.well-known/apple-app-site-association`.
  ///
  /// - Parameters:
  ///   - response: as it came; a redirect is a fault of its own.
  ///   - hostApplicationIdentifier: the bundle identifier of the application that holds the extension, if it is to be
  ///     there too.
  public func findings(
    appSiteAssociation response: HTTPResponseValue, hostApplicationIdentifier: String? = nil
  ) -> [ProfileFinding] {
    let key = "apple-app-site-association"
    guard response.status == 200 else {
      return [ProfileFinding(error: key, "the file is served with status 200, without a redirect")]
    }
    var findings: [ProfileFinding] = []
    if !MediaType.matches(response.headers.values("Content-Type").first, MediaType.json) {
      findings.append(ProfileFinding(warning: key, "the file is served as application/json"))
    }
    guard let body = try? JSONObject(parsing: response.body),
      let applications = body["authsrv"]?.objectValue?["apps"]?.arrayValue
    else {
      return findings + [ProfileFinding(error: key, "there is no list authsrv.apps")]
    }
    let identifiers = applications.compactMap(\.nameValue)
    if identifiers.count != applications.count || !identifiers.allSatisfy({ $0.text.utf8.contains(0x2E) }) {
      findings.append(ProfileFinding(error: key, "authsrv.apps has strings of team, dot and bundle identifier"))
    }
    if !identifiers.contains("\(teamIdentifier).\(extensionIdentifier)") {
      findings.append(ProfileFinding(error: key, "the extension is not in the list"))
    }
    if let host = hostApplicationIdentifier, !identifiers.contains("\(teamIdentifier).\(host)") {
      findings.append(ProfileFinding(error: key, "the application that holds the extension is not in the list"))
    }
    return findings
  }
}
