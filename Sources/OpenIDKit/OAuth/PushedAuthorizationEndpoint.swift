import PureCrypto
import JOSE
import StrictJSON

/// A provider's endpoint for pushed authorization requests.
///
/// ```swift
/// let response = await endpoint.respond(to: request)          // the client pushes
/// let parameters = try await endpoint.take(requestURI, clientID: id)   // the browser comes to the authorization endpoint
/// ```
///
/// Source: RFC 9126.
public struct PushedAuthorizationEndpoint: Sendable {
  private let store: any PushedAuthorizationStore
  private let lifetime: Double
  private let clock: WallClock
  private let random: RandomSource
  private let authenticate: OAuthEndpoint.Authenticate
  private let validate: @Sendable (FormFields, OAuthRefreshEndpoint.Client) async throws -> Void

  /// An endpoint.
  ///
  /// - Parameters:
  ///   - store: shared by all machines of the provider. The default serves one process.
  ///   - lifetime: for how many seconds a reference is good. 5 to 600.
  ///   - clock: tells when that time is over.
  ///   - authenticate: as in ``OAuthRefreshEndpoint/init(service:authenticate:makeTokens:)``.
  ///   - validate: judges the authorization request as the authorization endpoint does: by
  ///     ``OAuthAuthorizationRequest/init(_:of:isPushed:)``. The ``OAuthAuthorizationRequest/Refusal`` that it throws, or a
  ///     ``TokenRefreshError``, is what the client is told; anything else is answered with 503.
  /// - Throws: ``TokenRefreshErrorCode/settingInvalid``.
  public init(
    store: any PushedAuthorizationStore = InMemoryPushedAuthorizationStore(), lifetime: Double = 60,
    clock: WallClock = .system,
    authenticate: @escaping @Sendable (HTTPRequestValue, FormFields) async throws -> OAuthRefreshEndpoint.Client?,
    validate: @escaping @Sendable (FormFields, OAuthRefreshEndpoint.Client) async throws -> Void
  ) throws(TokenRefreshError) {
    guard (5...600).contains(lifetime) else {
      throw TokenRefreshError(.settingInvalid, "a setting is out of range", name: "lifetime")
    }
    self.store = store
    self.lifetime = lifetime
    self.clock = clock
    random = .system
    self.authenticate = authenticate
    self.validate = validate
  }

  /// Answers a request: 201 with the reference, or an error of RFC 6749 §5.2.
  public func respond(to request: HTTPRequestValue) async -> HTTPResponseValue {
    do throws(TokenRefreshError) {
      let (form, client) = try await OAuthEndpoint.accept(request, repeatable: ["resource"], authenticate)
      guard form.values("request_uri").isEmpty else {
        throw TokenRefreshError(.invalidRequest, "a pushed request names no other one", name: "request_uri")
      }
      if let named = form.values("client_id").first, !named.isEmpty, !named.hasSameBytes(as: client.id) {
        throw TokenRefreshError(.invalidRequest, "the request names another client", name: "client_id")
      }
      // What proves the client is not a part of the authorization request.
      let kept = form.fields.filter { field in !Self.proofs.contains { $0.hasSameBytes(as: field.name) } }
      var parameters = FormFields(kept.map { ($0.name, $0.value) })
      if parameters.values("client_id").isEmpty { parameters.append("client_id", client.id) }
      if let refusal = try await refusal(of: parameters, client) {
        // A client that has proved itself, and is not registered any more.
        guard !refusal.code.hasSameBytes(as: "invalid_client") else {
          throw TokenRefreshError(.invalidClient, "the client is unknown")
        }
        return OAuthEndpoint.json(
          400, ["error": .string(refusal.code), "error_description": .string(refusal.reason)])
      }
      let expiration = clock.now.advanced(by: lifetime)
      let record = PushedAuthorizationRecord(parameters: parameters, clientID: client.id, expiration: expiration)
      let reference = Self.prefix + Base64URL.encode(random.bytes(32))
      guard try await OAuthEndpoint.serving({ try await store.insert(record, reference: reference) }) else {
        throw TokenRefreshError(.storage, "the store refused a fresh name")
      }
      return OAuthEndpoint.json(
        201, ["request_uri": .string(reference), "expires_in": .number(JSONNumber(Int(lifetime)))])
    } catch {
      return OAuthRefreshEndpoint.response(for: error)
    }
  }

  /// The request of a reference, which is used up by that; nil if there is none for this client, or its time is over.
  ///
  /// - Parameters:
  ///   - requestURI: `request_uri`, as the browser brought it.
  ///   - clientID: `client_id`, as the browser brought it: the one that pushed the request.
  /// - Throws: ``TokenRefreshErrorCode/storage``.
  public func take(_ requestURI: String, clientID: String) async throws(TokenRefreshError) -> FormFields? {
    guard requestURI.utf8.count <= 256, requestURI.utf8.starts(with: Self.prefix.utf8) else { return nil }
    let record = try await OAuthEndpoint.serving { try await store.take(reference: requestURI) }
    guard let record, record.clientID.hasSameBytes(as: clientID), clock.now < record.expiration else { return nil }
    return record.parameters
  }

  private func refusal(
    of parameters: FormFields, _ client: OAuthRefreshEndpoint.Client
  ) async throws(TokenRefreshError) -> OAuthAuthorizationRequest.Refusal? {
    try await OAuthEndpoint.serving {
      do {
        try await validate(parameters, client)
        return nil
      } catch let refusal as OAuthAuthorizationRequest.Refusal {
        return refusal
      }
    }
  }

  private static let prefix = "urn:ietf:params:oauth:request_uri:"
  private static let proofs = ["client_secret", "client_assertion", "client_assertion_type"]
}

/// A pushed authorization request, as a store keeps it.
public struct PushedAuthorizationRecord: Sendable, Equatable {
  /// The parameters of the authorization request, `client_id` included.
  public let parameters: FormFields
  /// The client that pushed it.
  public let clientID: String
  /// When its reference is good no more.
  public let expiration: NumericDate

  /// A record.
  public init(parameters: FormFields, clientID: String, expiration: NumericDate) {
    (self.parameters, self.clientID, self.expiration) = (parameters, clientID, expiration)
  }

  /// The record as JSON, for stores that keep bytes.
  ///
  /// A database needs a column of its own for the reference, and one for ``expiration`` to remove what is over.
  public func serialized() -> [UInt8] {
    let object: JSONObject = [
      "version": 1, "parameters": .array(parameters.fields.map { [.string($0.name), .string($0.value)] }),
      "client": .string(clientID), "expiration": StoredJSON.number(expiration.secondsSince1970),
    ]
    return object.serialized()
  }

  /// Reads a record that ``serialized()`` wrote.
  ///
  /// - Throws: ``TokenRefreshErrorCode/recordMalformed``.
  public init(parsing json: some Collection<UInt8>) throws(TokenRefreshError) {
    guard let object = try? JSONObject(parsing: json), object["version"]?.int64Value == 1,
      let pairs = object["parameters"]?.arrayValue?.map({ $0.arrayValue?.map(\.stringValue) ?? [] }),
      pairs.allSatisfy({ $0.count == 2 && !$0.contains(nil) }),
      let clientID = object["client"]?.stringValue,
      let expiration = object["expiration"]?.doubleValue.flatMap(NumericDate.init(secondsSince1970:))
    else { throw TokenRefreshError(.recordMalformed, "the stored request can't be read") }
    let parameters = FormFields(pairs.map { ($0[0] ?? "", $0[1] ?? "") })
    self.init(parameters: parameters, clientID: clientID, expiration: expiration)
  }
}

extension PushedAuthorizationRecord: Redacted {
  /// The client. No parameter.
  public var description: String { "PushedAuthorizationRecord(by \(clientID))" }
}

/// Where pushed authorization requests wait for their browser.
public protocol PushedAuthorizationStore: Sendable {
  /// Keeps a request under a reference, in one atomic step. Returns false if the reference is taken.
  ///
  /// - Throws: anything; the client is then told to come again.
  func insert(_ record: PushedAuthorizationRecord, reference: String) async throws -> Bool

  /// Removes and returns the request of a reference, in one atomic step: of two callers at most one gets it. References
  /// are compared as bytes.
  ///
  /// - Throws: anything; whoever asked gets ``TokenRefreshErrorCode/storage``.
  func take(reference: String) async throws -> PushedAuthorizationRecord?
}

/// Pushed authorization requests in memory, for one process. When it is full, those that are over make room; if there are
/// none, no more are accepted.
public actor InMemoryPushedAuthorizationStore: PushedAuthorizationStore {
  /// The store is full.
  public struct Full: Error {}

  private let clock: WallClock
  private var records: OneTimeRoom<PushedAuthorizationRecord>

  /// A store for so many requests.
  public init(capacity: Int = 10_000, clock: WallClock = .system) {
    self.records = OneTimeRoom(capacity: capacity)
    self.clock = clock
  }

  /// Keeps a request. Returns false if the reference is taken.
  ///
  /// - Throws: ``Full``.
  public func insert(_ record: PushedAuthorizationRecord, reference: String) throws -> Bool {
    let now = clock.now
    guard let isKept = records.insert(record, reference, where: { $0.expiration <= now }) else { throw Full() }
    return isKept
  }

  /// Removes and returns the request of a reference.
  public func take(reference: String) -> PushedAuthorizationRecord? {
    records.take(reference)
  }
}

extension InMemoryPushedAuthorizationStore: Redacted {
  /// The type's name. No reference.
  public nonisolated var description: String { "InMemoryPushedAuthorizationStore" }
}
