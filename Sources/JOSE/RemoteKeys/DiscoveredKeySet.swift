/// Finds an issuer's key set by its metadata, and fetches it.
///
/// Metadata are kept for a day, and asked for again as soon as the place that they name brings no keys.
actor DiscoveredKeySet {
  typealias Get = @Sendable (_ url: String) async throws -> RemoteKeySetResponse

  private let issuer: String
  private let kind: IssuerMetadata.Kind
  private let limits: Limits
  private let clock: WallClock
  private let get: Get

  private var known: (metadata: IssuerMetadata, expiry: NumericDate)?

  init(issuer: String, kind: IssuerMetadata.Kind, limits: Limits, clock: WallClock, get: @escaping Get) {
    (self.issuer, self.kind, self.limits, self.clock, self.get) = (issuer, kind, limits, clock, get)
  }

  /// The answer with the keys.
  ///
  /// - Throws: ``RemoteKeySetFailure/metadata(_:)``, and what the caller's closure throws.
  func fetch() async throws -> RemoteKeySetResponse {
    let url = try await keySetURL()
    do {
      let answer = try await get(url)
      if answer.status != 200 { known = nil }
      return answer
    } catch {
      known = nil
      throw error
    }
  }

  private func keySetURL() async throws -> String {
    if let known, clock.now < known.expiry { return known.metadata.keySetURL }
    let place: String
    do throws(JOSEError) {
      place = try IssuerMetadata.url(of: issuer, kind: kind)
    } catch {
      throw RemoteKeySetFailure.metadata(error)
    }
    let answer = try await get(place)
    do throws(JOSEError) {
      guard answer.status == 200 else {
        throw JOSEError(
          .externalKeyFailed, "the request for the issuer's metadata was answered with another status than 200",
          name: "metadata")
      }
      let metadata = try IssuerMetadata(parsing: answer.body, issuer: issuer, limits: limits)
      known = (metadata, clock.now.advanced(by: 86_400))
      return metadata.keySetURL
    } catch {
      throw RemoteKeySetFailure.metadata(error)
    }
  }
}

extension RemoteKeySet {
  /// The keys of an issuer, whose place its metadata name.
  ///
  /// ```swift
  /// let keys = RemoteKeySet(issuer: "https://idp.example.com") { url in try await get(url) }
  /// ```
  ///
  /// - Parameters:
  ///   - issuer: the issuer's identifier, an https URL: the same text that tokens have in `iss`.
  ///   - metadata: where the metadata lie.
  ///   - policy: how long keys are trusted, and how often they are asked for. A request may be two: for the metadata and for the keys.
  ///   - clock: where "now" comes from.
  ///   - onEvent: as in ``init(policy:clock:onEvent:fetch:)``.
  ///   - get: asks for a URL, without following redirects and without cookies.
  public init(
    issuer: String, metadata: IssuerMetadata.Kind = .openID, policy: RemoteKeySetPolicy = .default,
    clock: WallClock = .system, onEvent: (@Sendable (RemoteKeySetEvent) -> Void)? = nil,
    get: @escaping @Sendable (_ url: String) async throws -> RemoteKeySetResponse
  ) {
    let source = DiscoveredKeySet(issuer: issuer, kind: metadata, limits: policy.limits, clock: clock, get: get)
    self.init(policy: policy, clock: clock, onEvent: onEvent) { try await source.fetch() }
  }
}
