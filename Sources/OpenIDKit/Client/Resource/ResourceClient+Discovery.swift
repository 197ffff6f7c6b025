import JOSE
import StrictJSON

/// How a refused request leads to a resource, and the resource to an authorization server.
extension ResourceClient {
  /// What a refusal says.
  struct Refusal {
    /// Whether the token lacks a scope.
    let isForScope: Bool
    /// The scopes that the request needs, if they are named.
    let scopes: [String]?
    /// Where the resource's metadata are, if that is said.
    let metadataURL: String?

    init(_ response: HTTPResponseValue) throws(OpenIDError) {
      let challenges = AuthenticationChallenge.all(of: response).filter(\.isForTokens)
      isForScope = response.status == 403 && challenges.contains { $0.hasError("insufficient_scope") }
      guard response.status == 401 || isForScope else {
        throw OpenIDError(.invalidRequest, "the answer doesn't ask for a token: it is neither 401 nor 403 for a scope")
      }
      let named = challenges.compactMap(\.scope).first.map { $0.words.filter(\.isScopeName) }
      scopes = named.flatMap { $0.isEmpty ? nil : $0.distinct }
      metadataURL = challenges.compactMap(\.resourceMetadata).first
    }
  }

  // MARK: The resource

  /// The resource that an address belongs to.
  ///
  /// - Parameter named: where the refusal says that the metadata are.
  ///
  /// Source: RFC 9728 §3, §5.1.
  func resource(of url: String, _ named: String?) async throws(OpenIDError) -> ProtectedResource {
    guard let address = try? URIComponents(parsing: url), plainHTTP.permits(address) else {
      throw OpenIDError(.invalidRequest, "the resource's address is not an absolute https address", name: "url")
    }
    if let named {
      // Metadata elsewhere would let one server speak for another.
      let own = WireName(address.origin.asciiLowercased)
      guard let place = try? URIComponents(parsing: named), plainHTTP.permits(place),
        own == place.origin.asciiLowercased
      else {
        throw OpenIDError(
          .metadataInvalid, "the resource's metadata must be at the resource's own server", name: "resource_metadata")
      }
      guard let found = try await document(named) else {
        throw OpenIDError(.metadataInvalid, "the resource has no metadata there", name: "resource_metadata")
      }
      return try ProtectedResource(parsing: found, plainHTTP: plainHTTP) { isSame($0, as: address) }
    }
    // Without a hint: for the whole address, then for the server.
    let own = address.inserting(wellKnown: "oauth-protected-resource")
    if let found = try await document(own) {
      return try ProtectedResource(parsing: found, plainHTTP: plainHTTP) { isSame($0, as: address) }
    }
    if let found = try await document(address.origin + "/.well-known/oauth-protected-resource") {
      let server = [address.origin, address.origin + "/"].wireNames
      return try ProtectedResource(parsing: found, plainHTTP: plainHTTP) {
        server.contains($0) || match == .pathPrefix && isSame($0, as: address)
      }
    }
    throw OpenIDError(.metadataInvalid, "the resource has no metadata", name: "resource")
  }

  /// Whether metadata that name a resource are taken for an address.
  private func isSame(_ resource: String, as address: URIComponents) -> Bool {
    let (whole, origin) = (WireName(address.text), WireName(address.origin))
    if whole == resource { return true }
    guard match == .pathPrefix, let named = try? URIComponents(parsing: resource), named.query == nil,
      named.fragment == nil, origin == named.origin, address.path.utf8.starts(with: named.path.utf8)
    else { return false }
    // `/a` is before `/a/b` and not before `/ab`.
    let rest = address.path.utf8.dropFirst(named.path.utf8.count)
    return rest.isEmpty || rest.first == UInt8(ascii: "/") || named.path.utf8.last == UInt8(ascii: "/")
  }

  // MARK: The authorization server

  /// A server that the resource names and the caller trusts.
  func server(of resource: ProtectedResource) async throws(OpenIDError) -> OpenIDProviderMetadata {
    let named = resource.authorizationServers.distinct
    let known = named.filter { issuer in registrations.contains { $0.issuer == issuer } }
    for issuer in (known + named).distinct {
      guard await trusts(issuer, resource) else { continue }
      let server = try await metadata(of: issuer)
      // A server that lists its resources is asked, too (§4).
      let list = "protected_resources"
      guard server.members[list] == nil || server.announces(resource.resource, in: list) else {
        throw OpenIDError(.metadataInvalid, "the issuer doesn't name the resource", name: list)
      }
      return server
    }
    throw OpenIDError(.settingInvalid, "no issuer of the resource is trusted", name: "trusts")
  }

  /// A server's metadata, wherever they are: the next place is tried where this one has nothing.
  ///
  /// Source: RFC 8414 §3.1, §5; OpenID Connect Discovery 1.0 §4.1.
  func metadata(of issuer: String) async throws(OpenIDError) -> OpenIDProviderMetadata {
    let name = String(Substring(issuer.utf8.dropLast(issuer.utf8.last == UInt8(ascii: "/") ? 1 : 0)))
    guard let address = try? URIComponents(parsing: name),
      let oauth = try? IssuerMetadata.url(of: issuer, kind: .oauth, plainHTTP: plainHTTP),
      let appended = try? IssuerMetadata.url(of: issuer, kind: .openID, plainHTTP: plainHTTP)
    else { throw OpenIDError(.metadataInvalid, "the issuer is not an https address", name: "issuer") }
    let inserted = address.inserting(wellKnown: "openid-configuration")
    for place in [oauth, inserted, appended].distinct {
      guard let found = try await document(place) else { continue }
      let server = try OpenIDProviderMetadata(plainOAuth: found, issuer: issuer, plainHTTP: plainHTTP)
      guard server.announces("S256", in: "code_challenge_methods_supported") else {
        throw OpenIDError(
          .metadataInvalid, "the issuer doesn't prove codes by S256", name: "code_challenge_methods_supported")
      }
      return server
    }
    throw OpenIDError(.metadataInvalid, "the issuer has no metadata", name: "issuer")
  }

  /// A document; nil if there is none.
  private func document(_ url: String) async throws(OpenIDError) -> [UInt8]? {
    guard let answer = try? await transport(.reading(url)) else { throw .unavailable(after: nil) }
    switch answer.status {
    case 200: return answer.body
    case 429: throw .unavailable(after: answer.headers.retryAfter(now: clock.wall.now))
    case 400...499: return nil
    default: throw .unavailable(after: answer.headers.retryAfter(now: clock.wall.now))
    }
  }
}

extension OpenIDProviderMetadata {
  /// Whether a list of the document has a text.
  func announces(_ text: String, in name: String) -> Bool {
    members[name]?.arrayValue?.contains(.string(text)) ?? false
  }
}
