import JOSE
import StrictJSON

/// What is wrong with the keys of a payload that was read, and with what stands beside it in its profile.
enum ProfileKeyFindings {
  /// The keys of the payload itself, as far as no setting has them, with the keys of every payload.
  private static let outer: [WireName] = [
    "PayloadType", "PayloadVersion", "PayloadIdentifier", "PayloadUUID", "PayloadDisplayName", "PayloadDescription",
    "PayloadOrganization", "PayloadEnabled", "ExtensionIdentifier", "TeamIdentifier", "URLs", "Hosts", "Realm",
    "AuthenticationMethod", "PlatformSSO",
  ]
  private static let inner: [WireName] = ["AuthenticationMethod", "UseSharedDeviceKeys", "AdditionalHTTPHeaders"]

  /// The keys that stand in the payload itself.
  static let outerKeys = outer + ProfileSetting.all.filter(\.isOuter).map { WireName($0.key) }
  /// The keys that stand in its dictionary `PlatformSSO`.
  static let innerKeys = inner + ProfileSetting.all.filter { !$0.isOuter }.map { WireName($0.key) }

  /// - Parameters:
  ///   - root: the profile, or the payload alone.
  ///   - payload: the payload with Platform SSO.
  static func findings(profile root: PropertyListValue, payload: PropertyListValue) -> [ProfileFinding] {
    var findings = strangers(
      in: payload, known: outerKeys, elsewhere: innerKeys, "it belongs into the dictionary PlatformSSO")
    findings += strangers(
      in: payload["PlatformSSO"] ?? .dictionary([]), known: innerKeys, elsewhere: outerKeys,
      "it belongs into the payload, beside PlatformSSO")
    if payload["AuthenticationMethod"] != nil {
      findings.append(
        ProfileFinding(
          warning: "AuthenticationMethod", "beside PlatformSSO it is that of macOS 13, deprecated since macOS 14"))
    }
    if root["PayloadScope"] == .string("User"), payload["PlatformSSO"]?["UseSharedDeviceKeys"] == .bool(true) {
      findings.append(ProfileFinding(error: "PayloadScope", "UseSharedDeviceKeys needs the scope System"))
    }
    guard case .array(let payloads)? = root["PayloadContent"] else { return findings }
    return findings + neighborFindings(payloads, of: payload)
  }

  /// The keys of a dictionary that are not known there.
  private static func strangers(
    in dictionary: PropertyListValue, known: [WireName], elsewhere: [WireName], _ place: StaticString
  ) -> [ProfileFinding] {
    (dictionary.entries ?? []).map(\.key).filter { !known.contains($0) }.map { key in
      if elsewhere.contains(key) { return ProfileFinding(error: key, place) }
      guard let nearest = nearest(to: key, in: known) else {
        return ProfileFinding(warning: key, "Platform SSO has no such key")
      }
      return ProfileFinding(error: key, instead: nearest.text)
    }
  }

  /// The known name that was meant: the same in another case, or another by two letters.
  static func nearest(to key: String, in known: [WireName]) -> WireName? {
    known.first { $0.text.hasSameBytesIgnoringASCIICase(as: key) }
      ?? known.map { ($0, distance(Array(key.utf8), Array($0.text.utf8))) }.filter { $0.1 <= 2 }
      .min { $0.1 < $1.1 }?.0
  }

  /// The least number of letters to insert, to take away and to exchange.
  private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    guard abs(one.count - other.count) <= 2 else { return 3 }
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
      var next = [index + 1]
      for (place, wanted) in other.enumerated() {
        next.append(min(row[place] + (letter == wanted ? 0 : 1), row[place + 1] + 1, next[place] + 1))
      }
      row = next
    }
    return row[other.count]
  }

  /// Other payloads of single sign-on on the same Mac: each address is one extension's, and Apple's Kerberos
  /// extension must leave the password to Platform SSO.
  fileprivate static func neighborFindings(
    _ payloads: [PropertyListValue], of payload: PropertyListValue
  ) -> [ProfileFinding] {
    var findings: [ProfileFinding] = []
    let others = payloads.filter { $0["PayloadType"] == .string("com.apple.extensiblesso") && $0 != payload }
    let own = payload["URLs"]?.texts ?? []
    if others.contains(where: { other in
      (other["URLs"]?.texts ?? []).contains { url in
        own.contains { EndpointOrigin.url(url, beginsWith: $0) || EndpointOrigin.url($0, beginsWith: url) }
      }
    }) {
      findings.append(ProfileFinding(error: "URLs", "another payload has one of these addresses"))
    }
    if payloads.count(where: { $0["PlatformSSO"] != nil }) > 1 {
      findings.append(
        ProfileFinding(error: "PlatformSSO", "a Mac takes it from one payload, and here are several"))
    }
    for other in others {
      let data = other["ExtensionData"]
      if data?["usePlatformSSOTGT"] == .bool(true), data?["syncLocalPassword"] == .bool(true) {
        findings.append(
          ProfileFinding(
            error: "syncLocalPassword", "Kerberos with usePlatformSSOTGT leaves the password to Platform SSO"))
      }
    }
    return findings
  }
}

extension ExtensibleSSOProfile {
  /// What doesn't go together with other profiles of the same Mac.
  ///
  /// - Parameter others: each a configuration profile or a payload alone, with or without Platform SSO.
  /// - Throws: `ErrorCode.malformed`, `ErrorCode.limitExceeded` for anything else.
  package func findings(beside others: [[UInt8]]) throws(JOSEError) -> [ProfileFinding] {
    let own = payload(identifier: "own", uuid: "")
    var payloads = [own]
    for octets in others {
      let root = try PropertyListValue(profile: octets)
      if case .array(let content)? = root["PayloadContent"] { payloads += content } else { payloads.append(root) }
    }
    return ProfileKeyFindings.neighborFindings(payloads, of: own)
  }
}
