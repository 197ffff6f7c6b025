import StrictJSON

/// What an issuer publishes about itself, as far as its keys are concerned.
///
/// Source: OpenID Connect Discovery 1.0 §3 and §4, RFC 8414 §2 and §3.
public struct IssuerMetadata: Sendable {
  /// Where the metadata lies and what they are called.
  public enum Kind: Sendable {
    /// `/.well-known/openid-configuration` at the end of the issuer's URL.
    case openID
    /// `/.well-known/oauth-authorization-server` between host and path of the issuer's URL.
    case oauth
  }

  /// The issuer, which is the one that was asked for.
  public let issuer: String

  /// `jwks_uri`: where the issuer publishes its keys. It is https.
  public let keySetURL: String

  /// All members, as the issuer wrote them.
  public let members: JSONObject

  /// Reads metadata that were found at the place for an issuer.
  ///
  /// - Parameters:
  ///   - json: the metadata.
  ///   - issuer: the identifier that is trusted. Metadata of another issuer, be it by a slash, are refused.
  ///   - limits: bounds on the text.
  /// - Throws: ``JOSEErrorCode/malformed`` or ``JOSEErrorCode/limitExceeded`` if the text is not a JSON object;
  ///   ``JOSEErrorCode/claimMissing``, ``JOSEErrorCode/claimInvalid`` or ``JOSEErrorCode/claimMismatch`` for `issuer` or `jwks_uri`.
  public init(
    parsing json: some Collection<UInt8>, issuer: String, limits: Limits = .default
  ) throws(JOSEError) {
    let members = try JSONObject(parsing: json, within: limits.keySetJSON)
    guard let named = try members.string(ifPresent: "issuer", orThrow: .claimInvalid) else {
      throw JOSEError(.claimMissing, "the metadata name no issuer", name: "issuer")
    }
    guard named.hasSameBytes(as: issuer) else {
      throw JOSEError(.claimMismatch, "the metadata are another issuer's", name: "issuer")
    }
    guard let keySetURL = try members.string(ifPresent: "jwks_uri", orThrow: .claimInvalid) else {
      throw JOSEError(.claimMissing, "the metadata name no key set", name: "jwks_uri")
    }
    guard Self.isHTTPS(keySetURL) else {
      throw JOSEError(.claimInvalid, "the key set's place is not an https URL", name: "jwks_uri")
    }
    self.issuer = issuer
    self.keySetURL = keySetURL
    self.members = members
  }

  /// Where an issuer's metadata lie.
  ///
  /// - Throws: ``JOSEErrorCode/callerMisuse`` if the issuer is not an https URL without query and fragment.
  public static func url(of issuer: String, kind: Kind) throws(JOSEError) -> String {
    guard isHTTPS(issuer), !issuer.utf8.contains(where: { $0 == 0x3F || $0 == 0x23 }) else {
      throw JOSEError(.callerMisuse, "an issuer is an https URL without query and fragment", name: "issuer")
    }
    var octets = Array(issuer.utf8)
    if octets.last == 0x2F { octets.removeLast() }
    switch kind {
    case .openID:
      octets += "/.well-known/openid-configuration".utf8
    case .oauth:
      let end = octets[scheme.count...].firstIndex(of: 0x2F) ?? octets.endIndex
      octets.insert(contentsOf: "/.well-known/oauth-authorization-server".utf8, at: end)
    }
    return String(decoding: octets, as: UTF8.self)
  }

  private static let scheme = Array("https://".utf8)

  /// Whether the text is an https URL with a host and nobody's name or password.
  private static func isHTTPS(_ text: String) -> Bool {
    let octets = Array(text.utf8)
    guard octets.count > scheme.count, Array(text.asciiLowercased.utf8).starts(with: scheme),
      octets.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return false }
    let host = octets[scheme.count...].prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
    return !host.isEmpty && host.first != 0x3A && !host.contains(0x40) && !host.contains(0x5C)
  }
}
