/// Finds an issuer's key set by its metadata, and fetches it.
///
/// Metadata are kept as long as their answer says, a day at most, and asked for again as soon as the place that they
/// name brings no keys.
actor DiscoveredKeySet {
  /// Where the keys are.
  private enum Keys {
    case at(String)
    /// In the metadata themselves, as a key set.
    case inside(JSONObject)
  }

  private struct Known {
    let keys: Keys
    let validator: DocumentValidator?
    let directives: CacheDirectives
    let expiry: NumericDate
  }

  private static let maximumAge = 86_400.0

  private let issuer: String
  private let kind: IssuerMetadata.Kind
  private let limits: Limits
  private let clock: WallClock
  private let plainHTTP: PlainHTTP
  private let transport: HTTPTransport

  private var known: Known?

  init(
    issuer: String, kind: IssuerMetadata.Kind, limits: Limits, clock: WallClock, plainHTTP: PlainHTTP,
    transport: @escaping HTTPTransport
  ) {
    (self.issuer, self.kind, self.limits, self.clock) = (issuer, kind, limits, clock)
    (self.plainHTTP, self.transport) = (plainHTTP, transport)
  }

  /// The answer with the keys.
  ///
  /// - Parameter validator: of the keys that are known.
  /// - Throws: ``RemoteKeySetFailure/metadata(_:)``, and what the transport throws.
  func fetch(_ validator: DocumentValidator?) async throws -> DocumentAnswer {
    if let known, case .at(let url) = known.keys, clock.now < known.expiry { return try await keySet(url, validator) }
    let answer = try await metadata()
    switch answer.keys {
    case .at(let url): return try await keySet(url, validator)
    case .inside(let keys):
      let response = HTTPResponseValue(status: 200, headers: answer.headers, body: keys.serialized())
      return DocumentAnswer(url: answer.url, response: response, confirms: false)
    }
  }

  private func keySet(_ url: String, _ validator: DocumentValidator?) async throws -> DocumentAnswer {
    do {
      let answer = try await get(url, accepting: MediaType.keySet, validator)
      if answer.response.status != 200 && !answer.confirms { known = nil }
      return answer
    } catch {
      known = nil
      throw error
    }
  }

  private func get(
    _ url: String, accepting mediaTypes: String, _ validator: DocumentValidator?
  ) async throws -> DocumentAnswer {
    try await DocumentAnswer.get(
      url, accepting: mediaTypes, confirming: validator, plainHTTP: plainHTTP, transport: transport)
  }

  private func metadata() async throws -> (keys: Keys, url: String, headers: HTTPHeaderFields) {
    let requested = clock.now
    let place: String
    do throws(JOSEError) {
      place = try IssuerMetadata.url(of: issuer, kind: kind, plainHTTP: plainHTTP)
    } catch {
      throw RemoteKeySetFailure.metadata(error)
    }
    let last = known
    let answer = try await get(place, accepting: MediaType.json, last?.validator)
    do throws(JOSEError) {
      let renewed = try self.renewed(last, by: answer, requested: requested)
      known = renewed
      return (renewed.keys, place, answer.response.headers)
    } catch {
      throw RemoteKeySetFailure.metadata(error)
    }
  }

  private func renewed(
    _ last: Known?, by answer: DocumentAnswer, requested: NumericDate
  ) throws(JOSEError) -> Known {
    let directives = CacheDirectives(answer.response.headers, confirming: answer.confirms ? last?.directives : nil)
    let expiry = requested.advanced(by: min(directives.freshness ?? Self.maximumAge, Self.maximumAge))
    if answer.confirms, let last {
      return Known(keys: last.keys, validator: last.validator, directives: directives, expiry: expiry)
    }
    guard answer.response.status == 200 else {
      throw JOSEError(.externalKeyFailed, Self.text(answer.response.status), name: "metadata")
    }
    let keys: Keys
    do throws(JOSEError) {
      keys = try self.keys(in: IssuerDocument.text(of: answer.response))
    } catch {
      throw IssuerDocument.fault(error, of: answer.response, name: "metadata")
    }
    return Known(keys: keys, validator: answer.validator, directives: directives, expiry: expiry)
  }

  private func keys(in text: [UInt8]) throws(JOSEError) -> Keys {
    guard kind == .credential else {
      return .at(
        try IssuerMetadata(parsing: text, issuer: issuer, limits: limits, plainHTTP: plainHTTP).keySetURL)
    }
    let members = try IssuerMetadata.members(parsing: text, issuer: issuer, limits: limits)
    let url = try members.string(ifPresent: "jwks_uri", orThrow: .claimInvalid)
    switch (members["jwks"], url) {
    case (let keys?, nil):
      guard let keys = keys.objectValue else {
        throw JOSEError(.claimInvalid, "the issuer's keys are a JSON object", name: "jwks")
      }
      return .inside(keys)
    case (nil, let url?):
      try IssuerMetadata.requireAddress(url, plainHTTP, publicName: true)
      return .at(url)
    default:
      throw JOSEError(.claimInvalid, "the metadata have either jwks or jwks_uri", name: "jwks")
    }
  }

  private static func text(_ status: Int) -> StaticString {
    switch status {
    case 404, 410: "the issuer has no metadata there (404): look at its URL, or name the kind that it has"
    case 301, 302, 303, 307, 308:
      "the issuer's metadata are answered with a redirect, which is not followed: the issuer is the URL that it leads to"
    case 400..<500: "the issuer refuses to give its metadata: they must be public"
    default: "the request for the issuer's metadata was answered with another status than 200: it may later"
    }
  }
}

extension RemoteKeySet {
  /// The keys of an issuer, whose place its metadata name.
  ///
  /// ```swift
  /// let keys = RemoteKeySet(issuer: "https://idp.example.com", transport: send)
  /// ```
  ///
  /// - Parameters:
  ///   - issuer: the issuer's identifier, an https URL: the same text that tokens have in `iss`.
  ///   - metadata: where the metadata lie.
  ///   - policy: how long keys are trusted, and how often they are asked for. A request may be two: for the metadata
  ///     and for the keys.
  ///   - plainHTTP: whether the issuer and its keys may be on this machine, without TLS.
  ///   - clock: where "now" comes from.
  ///   - onEvent: as in ``init(url:policy:plainHTTP:clock:onEvent:transport:)``.
  ///   - transport: the caller's HTTP client.
  public init(
    issuer: String, metadata: IssuerMetadata.Kind = .openID, policy: RemoteKeySetPolicy = .default,
    plainHTTP: PlainHTTP = .refused, clock: WallClock = .system,
    onEvent: (@Sendable (RemoteKeySetEvent) -> Void)? = nil, transport: @escaping HTTPTransport
  ) {
    let source = DiscoveredKeySet(
      issuer: issuer, kind: metadata, limits: policy.limits, clock: clock, plainHTTP: plainHTTP, transport: transport)
    self.init(policy: policy, clock: clock, onEvent: onEvent) { try await source.fetch($0) }
  }
}
