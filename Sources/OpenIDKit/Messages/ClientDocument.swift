import JOSE
import PureCrypto
import StrictJSON

/// A client's metadata at an address of its own, which is its identifier: a client that no server has registered.
///
/// ```swift
/// let document = try ClientDocument(
///   id: "https://agent.example.com/client.json", name: "Agent",
///   redirectURIs: ["http://127.0.0.1/callback"])
/// if let response = document.respond(to: request) { return response }  // the client's web server
/// ```
///
/// A server reads it by ``DocumentedClients``. What it says of itself is not proved: only that who serves its host
/// wants it so.
///
/// Source: draft-ietf-oauth-client-id-metadata-document-01, RFC 7591 §2.
public struct ClientDocument: Sendable {
  /// `client_id`: where the document is. Compared as bytes: nothing in it is normalised.
  public let id: String
  /// `client_name`, which the client has given itself.
  public let name: String
  /// `redirect_uris`: where browsers may come back to. Of those that can't be one, none are left.
  public let redirectURIs: [String]
  /// All members.
  public let members: JSONObject
  /// How the client proves who it is.
  let proof: Proof

  enum Proof: Sendable {
    case none
    case keys(JWKSet)
    case keySet(url: String)
  }

  /// The host of the identifier: who vouches for the document. Show it before the name.
  public var host: String { (try? URIComponents(parsing: id))?.host ?? "" }

  /// Whether browsers come back to the user's own machine alone, where any program may wait for them.
  public var isLoopbackOnly: Bool {
    redirectURIs.allSatisfy { (try? URIComponents(parsing: $0))?.isLoopback ?? false }
  }

  /// The client's own document.
  ///
  /// - Parameters:
  ///   - id: where it is going to be: an `https` address with a path, on a host with a name.
  ///   - name: for people.
  ///   - redirectURIs: at least one.
  ///   - keys: the public keys by which the client proves who it is (`private_key_jwt`); nil if it can't.
  ///   - members: further ones, such as `client_uri`, `logo_uri` and `scope`.
  /// - Throws: `ErrorCode.settingInvalid`, with the member's name.
  public init(
    id: String, name: String, redirectURIs: [String], keys: JWKSet? = nil, members: JSONObject = [:]
  ) throws(OpenIDError) {
    var all: JSONObject = [
      "client_id": .string(id), "client_name": .string(name),
      "redirect_uris": .array(redirectURIs.map { .string($0) }),
      "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
      "token_endpoint_auth_method": keys == nil ? "none" : "private_key_jwt",
    ]
    if let keys { all["jwks"] = (try? JSONObject(parsing: keys.serialized())).map { .object($0) } }
    for (name, value) in members.members {
      guard all[name] == nil else {
        throw OpenIDError(.settingInvalid, "a further member would replace one that is set", name: name)
      }
      all[name] = value
    }
    do throws(OpenIDError) {
      try self.init(parsing: all.serialized(), id: id)
    } catch {
      throw OpenIDError(.settingInvalid, "a member of the client's document is not what it must be", name: error.name)
    }
    guard self.redirectURIs.count == redirectURIs.count else {
      throw OpenIDError(.settingInvalid, "a browser must not come back to one of the addresses", name: "redirect_uris")
    }
  }

  /// Reads a document as a server does.
  ///
  /// - Parameters:
  ///   - json: the document, of 5 KiB at most.
  ///   - id: where it was fetched.
  ///   - plainHTTP: whether that may be on this machine.
  /// - Throws: `ErrorCode.metadataInvalid`, with the member's name.
  public init(
    parsing json: some Collection<UInt8>, id: String, plainHTTP: PlainHTTP = .refused
  ) throws(OpenIDError) {
    func invalid(_ name: String) -> OpenIDError {
      OpenIDError(.metadataInvalid, "a member of the client's document is not what it must be", name: name)
    }
    let named = WireName(id)
    guard json.count <= Self.maximumByteCount, let members = try? JSONObject(parsing: json, limits: OAuthAnswer.limits),
      Self.isIdentifier(id, plainHTTP), let own = members["client_id"]?.stringValue, named == own
    else { throw invalid("client_id") }
    // Everybody can read it (§4.1).
    for secret in ["client_secret", "client_secret_expires_at"] where members[secret] != nil { throw invalid(secret) }
    guard let name = members["client_name"]?.stringValue, !name.isEmpty else { throw invalid("client_name") }
    let addresses = members["redirect_uris"]?.arrayValue?.compactMap(\.stringValue) ?? []
    let redirectURIs = addresses.filter(Self.isRedirectURI).distinct
    guard !redirectURIs.isEmpty else { throw invalid("redirect_uris") }
    for (list, needed) in [("grant_types", GrantType.authorizationCode), ("response_types", "code")] {
      guard members[list].map({ $0.arrayValue?.contains(.string(needed)) ?? false }) ?? true else {
        throw invalid(list)
      }
    }
    guard let proof = Self.proof(members, plainHTTP) else { throw invalid("token_endpoint_auth_method") }
    (self.id, self.name, self.redirectURIs, self.members, self.proof) = (id, name, redirectURIs, members, proof)
  }

  /// Answers a request for the document; nil for any other.
  ///
  /// - Parameter request: as it came; the address as the server's clients know it, or a path.
  public func respond(to request: HTTPRequestValue) -> HTTPResponseValue? {
    .document(members, at: id, for: request)
  }

  static let maximumByteCount = 5 << 10

  // MARK: Rules

  /// Whether a text can be such a client's identifier: `https`, a host that is a name, a path without dot segments,
  /// no user information, no fragment.
  ///
  /// - Parameter plainHTTP: whether it may be on this machine.
  static func isIdentifier(_ text: String, _ plainHTTP: PlainHTTP) -> Bool {
    guard text.utf8.count <= 512, let address = try? URIComponents(parsing: text), isPlace(address, plainHTTP),
      address.path.utf8.count > 1
    else { return false }
    let segments = address.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return segments.allSatisfy { segment in
      let plain = String(Substring(segment)).replacing("%2e", with: ".").replacing("%2E", with: ".")
      return ![".", ".."].wireNames.contains(plain)
    }
  }

  /// Whether a server may fetch something there. Of an address that is written as a number, no name has been looked up
  /// that could be judged; where a name leads, the transport judges.
  static func isPlace(_ address: URIComponents, _ plainHTTP: PlainHTTP) -> Bool {
    guard plainHTTP.permits(address), let host = address.host else { return false }
    if address.isLoopback { return plainHTTP == .loopback }
    guard host.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-._".utf8.contains($0) }) else { return false }
    let labels = host.asciiLowercased.utf8.split(separator: UInt8(ascii: "."))
    guard let last = labels.last, labels.count > 1 else { return false }
    let isNumber = last.allSatisfy(\.isASCIIDigit) || last.starts(with: "0x".utf8)
    return !isNumber && !last.elementsEqual("localhost".utf8)
  }

  /// Whether a browser may come back to an address: by `https`, to this machine, or to an app by a scheme of its own
  /// (RFC 8252 §7.1).
  private static func isRedirectURI(_ text: String) -> Bool {
    guard let address = try? URIComponents(parsing: text), address.fragment == nil, address.userInfo == nil,
      !text.utf8.contains(UInt8(ascii: "*"))
    else { return false }
    if address.hasScheme("https") { return address.host?.isEmpty == false }
    if address.hasScheme("http") { return address.isLoopback }
    return address.scheme.utf8.contains(UInt8(ascii: "."))
  }

  /// How the client proves who it is. A list of what it can do goes before the one method; methods with a secret are
  /// none that a document can have.
  private static func proof(_ members: JSONObject, _ plainHTTP: PlainHTTP) -> Proof? {
    let single = members["token_endpoint_auth_method"]
    let methods: [String]
    if let list = members["token_endpoint_auth_methods_supported"] {
      methods = list.arrayValue?.compactMap(\.stringValue) ?? []
    } else {
      // RFC 7591's default has a secret.
      methods = single.map { [$0.stringValue ?? ""] } ?? ["none"]
    }
    if methods.wireNames.contains("private_key_jwt") {
      if let url = members["jwks_uri"]?.stringValue {
        guard members["jwks"] == nil, let address = try? URIComponents(parsing: url), isPlace(address, plainHTTP) else {
          return nil
        }
        return .keySet(url: url)
      }
      guard let set = members["jwks"]?.objectValue, let listed = set["keys"]?.arrayValue,
        listed.allSatisfy({ key in !Self.secretMembers.contains { key.objectValue?[$0] != nil } }),
        let keys = try? JWKSet(parsing: set.serialized()), !keys.keys.isEmpty
      else { return nil }
      return .keys(keys)
    }
    return methods.wireNames.contains("none") ? Proof.none : nil
  }

  /// What a key that everybody can read must not have (RFC 7518 §6, RFC 9964).
  private static let secretMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"]

  /// Whether the client wants refresh tokens.
  var refreshes: Bool {
    members["grant_types"]?.arrayValue?.contains(.string(GrantType.refreshToken)) ?? false
  }

  /// What a code is bound to: what the user was asked about, whatever the order of the members.
  var snapshot: String {
    var shown = JSONObject()
    for name in [
      "client_name", "client_uri", "logo_uri", "redirect_uris", "scope", "grant_types", "jwks", "jwks_uri",
      "token_endpoint_auth_method", "token_endpoint_auth_methods_supported",
    ] {
      shown[name] = members[name]
    }
    return Base64URL.encode(SHA2.SHA256.hash(shown.serialized(options: .canonical)))
  }
}

extension ClientDocument: Redacted {
  /// The identifier.
  public var description: String { id }
}
