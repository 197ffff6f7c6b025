import JOSE
import PureCrypto
import StrictJSON

/// A resource server, or a part of one: its identifier, who issues tokens for it, and what they can be good for. Its
/// metadata tell clients that know nothing but its address where to ask.
///
/// ```swift
/// let resource = try ProtectedResource(
///   "https://api.example.com/mcp", authorizationServers: ["https://login.example.com"], scopes: ["notes.read"])
/// if let response = resource.respond(to: request) { return response }  // the metadata
/// ```
///
/// One server may have several, each with a path and metadata of its own.
///
/// Source: RFC 9728.
public struct ProtectedResource: Sendable {
  /// `resource`: the identifier, as tokens have it in `aud` and clients send it. Compared as bytes: a final slash
  /// counts.
  public let resource: String
  /// `authorization_servers`: the identifiers of issuers whose tokens are taken.
  public let authorizationServers: [String]
  /// `scopes_supported`: what a client may ask for; it need not ask for all.
  public let scopes: [String]
  /// `resource_name`: for people.
  public var name: String? { members["resource_name"]?.stringValue }
  /// Where the metadata are: a well-known name between host and path of the identifier.
  public let metadataURL: String
  /// All members of the metadata.
  public let members: JSONObject

  /// A resource of this server.
  ///
  /// - Parameters:
  ///   - resource: the identifier: an `https` address without fragment.
  ///   - authorizationServers: one issuer or more.
  ///   - scopes: what a client may ask for. `offline_access` is none of a resource's: whether there are refresh tokens
  ///     is the issuer's to say.
  ///   - members: further ones, such as `resource_name` and `resource_documentation`.
  ///   - plainHTTP: whether server and issuers may be on this machine, without TLS.
  /// - Throws: `ErrorCode.settingInvalid`, with the member's name.
  public init(
    _ resource: String, authorizationServers: [String], scopes: [String] = [], members: JSONObject = [:],
    plainHTTP: PlainHTTP = .refused
  ) throws(OpenIDError) {
    let rules = [
      ("resource", plainHTTP.permits(resource)),
      (
        "authorization_servers",
        !authorizationServers.isEmpty && authorizationServers.allSatisfy { Self.isIssuer($0, plainHTTP) }
      ),
      (
        "scopes_supported",
        scopes.allSatisfy { $0.isScopeName } && !scopes.wireNames.contains("offline_access")
      ),
    ]
    for (name, isValid) in rules where !isValid {
      throw OpenIDError(.settingInvalid, "a member of the resource's metadata is not what it must be", name: name)
    }
    var all: JSONObject = [
      "resource": .string(resource), "authorization_servers": .array(authorizationServers.map { .string($0) }),
      "bearer_methods_supported": ["header"],
    ]
    // A list without values is left out (§3.2).
    if !scopes.isEmpty { all["scopes_supported"] = .array(scopes.map { .string($0) }) }
    for (name, value) in members.members {
      guard all[name] == nil else {
        throw OpenIDError(.settingInvalid, "a further member would replace one that is set", name: name)
      }
      all[name] = value
    }
    self.init(resource, authorizationServers, scopes, all)
  }

  private init(_ resource: String, _ servers: [String], _ scopes: [String], _ members: JSONObject) {
    (self.resource, authorizationServers, self.scopes, self.members) = (resource, servers, scopes, members)
    metadataURL = Self.metadataURL(of: resource) ?? resource
  }

  /// Answers a request for the metadata; nil for any other.
  ///
  /// - Parameter request: as it came; the address as this server's clients know it, or a path.
  public func respond(to request: HTTPRequestValue) -> HTTPResponseValue? {
    .document(members, at: metadataURL, for: request)
  }

  /// Where the metadata of an identifier are; nil for what is no address.
  static func metadataURL(of resource: String) -> String? {
    (try? URIComponents(parsing: resource))?.inserting(wellKnown: "oauth-protected-resource")
  }

  /// Whether a text can be an issuer's identifier (RFC 8414 §2).
  private static func isIssuer(_ text: String, _ plainHTTP: PlainHTTP) -> Bool {
    (try? IssuerMetadata.url(of: text, kind: .oauth, plainHTTP: plainHTTP)) != nil
  }
}

extension ProtectedResource {
  /// Reads metadata that were found for a resource.
  ///
  /// - Parameters:
  ///   - json: the metadata.
  ///   - isExpected: whether they may be of the resource that they name. If not, nothing of them is used.
  /// - Throws: `ErrorCode.metadataInvalid`, with the member's name.
  package init(
    parsing json: some Collection<UInt8>, plainHTTP: PlainHTTP, isExpected: (_ resource: String) -> Bool
  ) throws(OpenIDError) {
    guard let members = try? JSONObject(parsing: json, limits: OAuthAnswer.limits),
      let resource = members["resource"]?.stringValue, isExpected(resource), plainHTTP.permits(resource)
    else {
      throw OpenIDError(
        .metadataInvalid, "the resource's metadata can't be read, or are another resource's", name: "resource")
    }
    func texts(_ name: String) throws(OpenIDError) -> [String] {
      guard let value = members[name], !value.isNull else { return [] }
      guard let texts = value.arrayValue?.map(\.stringValue), !texts.contains(nil) else {
        throw OpenIDError(.metadataInvalid, "the member must be a list of texts", name: name)
      }
      return texts.compactMap { $0 }
    }
    self.init(
      resource, try texts("authorization_servers").filter { Self.isIssuer($0, plainHTTP) },
      try texts("scopes_supported").filter { $0.isScopeName }, members)
  }
}

extension ProtectedResource: Redacted {
  /// The identifier.
  public var description: String { resource }
}

extension String {
  /// Whether the text is one scope (RFC 6749 §3.3), or another word of a list in a challenge.
  var isScopeName: Bool { !isEmpty && utf8.allSatisfy { $0.mayStandInErrorText && $0 != 0x20 } }
}
