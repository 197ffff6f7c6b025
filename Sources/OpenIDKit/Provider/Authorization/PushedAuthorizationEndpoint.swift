import PureCrypto
import JOSE
import StrictJSON

/// A provider's endpoint for pushed authorization requests.
///
/// ```swift
/// let response = await endpoint.respond(to: request)                   // the client pushes
/// let parameters = try await endpoint.take(requestURI, clientID: id)   // the browser comes to the authorization
/// endpoint
/// ```
///
/// Source: RFC 9126.
public struct PushedAuthorizationEndpoint: Sendable {
  private let requests: OneTimeRecords
  private let lifetime: Duration
  /// How many requests of one client wait at a time.
  package var quota = 10_000
  private let clock: WallClock
  private let random: RandomSource
  private let authenticate: OAuthEndpoint.Authenticate
  private let validate: @Sendable (FormFields, AuthenticatedClient) async throws -> Void

  /// An endpoint.
  ///
  /// - Parameters:
  ///   - records: where the requests wait, shared by all machines of the provider. The default serves one process.
  ///   - lifetime: how long a reference is good: 5 seconds to 10 minutes. The default is a minute.
  ///   - clock: tells when that time is over.
  ///   - authenticate: as in ``TokenEndpoint/init(grants:authenticate:)``. The code is bound to the key that the client
  ///     proves possession of, ``AuthenticatedClient/confirmation``, as if `dpop_jkt` named it (RFC 9449 §10.1).
  ///   - validate: judges the authorization request as the authorization endpoint does: by
  ///     ``OAuthAuthorizationRequest/init(_:of:isPushed:)``. The ``OAuthAuthorizationRequest/Refusal`` that it throws,
  ///     or a ``OpenIDError``, is what the client is told; anything else is answered with 503.
  /// - Throws: `ErrorCode.settingInvalid`.
  public init(
    records: any RecordStore = MemoryRecordStore(byteLimit: 64 << 20), lifetime: Duration = .seconds(60),
    clock: WallClock = .system,
    authenticate: @escaping @Sendable (HTTPRequestValue, FormFields) async throws -> AuthenticatedClient?,
    validate: @escaping @Sendable (FormFields, AuthenticatedClient) async throws -> Void
  ) throws(OpenIDError) {
    guard lifetime >= .seconds(5), lifetime <= .seconds(600) else {
      throw OpenIDError(.settingInvalid, "a setting is out of range", name: "lifetime")
    }
    requests = OneTimeRecords(records, kind: StoredRecord.Kind(library: "pushed-request"), clock: clock)
    self.lifetime = lifetime
    self.clock = clock
    random = .system
    self.authenticate = authenticate
    self.validate = validate
  }

  /// Answers a request: 201 with the reference, or an error of RFC 6749 §5.2.
  public func respond(to request: HTTPRequestValue) async -> HTTPResponseValue {
    await OAuthEndpoint.respond(to: request, Self.names, repeatable: ["resource"], authenticate) {
      form, client throws(OpenIDError) in
      guard form.values("request_uri").isEmpty else {
        throw OpenIDError(.invalidRequest, "a pushed request must not contain request_uri", name: "request_uri")
      }
      if let named = form.values("client_id").first, !named.isEmpty, WireName(named) != client.id {
        throw OpenIDError(.invalidRequest, "the request names another client", name: "client_id")
      }
      // What proves the client is not a part of the authorization request.
      let kept = form.fields.filter { !Self.proofs.contains($0.name) }
      var parameters = FormFields(kept.map { ($0.name, $0.value) })
      if parameters.values("client_id").isEmpty { parameters.append("client_id", client.id) }
      if let proved = client.confirmation {
        let named = parameters.values("dpop_jkt").filter { !$0.isEmpty }
        guard named.wireNames.allSatisfy({ $0 == proved }) else {
          throw OpenIDError(.invalidRequest, "dpop_jkt must name the key of the proof", name: "dpop_jkt")
        }
        if named.isEmpty { parameters.append("dpop_jkt", proved) }
      }
      if let refusal = try await refusal(of: parameters, client) {
        // A client that has proved itself, and is not registered any more.
        guard WireName(refusal.code) != "invalid_client" else {
          throw OpenIDError(.invalidClient, "the client is unknown")
        }
        return .oauthError(400, refusal.code, ["error_description": .string(refusal.reason)])
      }
      let record = PushedAuthorizationRecord(parameters: parameters, clientID: client.id)
      let expiration = clock.now.advanced(by: lifetime)
      let reference = Self.prefix + Base64URL.encode(random.bytes(32))
      let isKept = try await OpenIDError.asking {
        // A public client's name is enough to push: without a quota, anybody could fill the store with it.
        let index = StoredRecord.Index("client", Array(client.id.utf8))
        return try await requests.insert(
          record.serialized(), name: reference, indexes: [index],
          atMost: RecordQuota(index, limit: quota, now: clock.now), expiresAt: expiration)
      }
      guard isKept else {
        throw OpenIDError(.temporarilyUnavailable, "the client has too many requests waiting")
      }
      return .json(
        201, ["request_uri": .string(reference), "expires_in": .number(JSONNumber(lifetime.wholeSeconds))])
    }
  }

  /// The request of a reference, which is used up by that; nil if there is none for this client, or its time is over.
  ///
  /// - Parameters:
  ///   - requestURI: `request_uri`, as the browser brought it.
  ///   - clientID: `client_id`, as the browser brought it: the one that pushed the request. For another one, the
  ///     request stays.
  /// - Throws: `ErrorCode.storeUnavailable`; `ErrorCode.recordMalformed` if what is stored can't be
  ///   read.
  public func take(_ requestURI: String, clientID: String) async throws(OpenIDError) -> FormFields? {
    guard requestURI.utf8.count <= 256, Self.isReference(requestURI) else { return nil }
    let document = try await OpenIDError.asking {
      try await requests.take(requestURI) { document in
        WireName(try PushedAuthorizationRecord(parsing: document).clientID) == clientID
      }
    }
    return try document.map { document throws(OpenIDError) in
      try PushedAuthorizationRecord(parsing: document).parameters
    }
  }

  private func refusal(
    of parameters: FormFields, _ client: AuthenticatedClient
  ) async throws(OpenIDError) -> OAuthAuthorizationRequest.Refusal? {
    try await OpenIDError.asking {
      do {
        try await validate(parameters, client)
        return nil
      } catch let refusal as OAuthAuthorizationRequest.Refusal {
        return refusal
      }
    }
  }

  /// Whether a `request_uri` can be one of this endpoint's.
  static func isReference(_ requestURI: String) -> Bool { requestURI.utf8.starts(with: prefix.utf8) }

  private static let names = OAuthEndpoint.clientNames + OAuthAuthorizationRequest.names
  private static let prefix = "urn:ietf:params:oauth:request_uri:"
  private static let proofs: [WireName] = ["client_secret", "client_assertion", "client_assertion_type"]
}

/// A pushed authorization request, as it is stored.
package struct PushedAuthorizationRecord: Sendable, Equatable {
  /// The parameters of the authorization request, `client_id` included.
  package let parameters: FormFields
  /// The client that pushed it.
  package let clientID: String

  package init(parameters: FormFields, clientID: String) {
    (self.parameters, self.clientID) = (parameters, clientID)
  }

  /// The stored form.
  package func serialized() -> [UInt8] {
    let object: JSONObject = [
      "version": 1, "parameters": .array(parameters.fields.map { [.string($0.name), .string($0.value)] }),
      "client": .string(clientID),
    ]
    return object.serialized()
  }

  /// Reads what ``serialized()`` wrote.
  ///
  /// - Throws: `ErrorCode.recordMalformed`.
  package init(parsing json: some Collection<UInt8>) throws(OpenIDError) {
    guard let object = try? JSONObject(parsing: json), object["version"]?.int64Value == 1,
      let pairs = object["parameters"]?.arrayValue?.map({ $0.arrayValue?.map(\.stringValue) ?? [] }),
      pairs.allSatisfy({ $0.count == 2 && !$0.contains(nil) }),
      let clientID = object["client"]?.stringValue
    else { throw OpenIDError(.recordMalformed, "the stored request can't be read") }
    let parameters = FormFields(pairs.map { ($0[0] ?? "", $0[1] ?? "") })
    self.init(parameters: parameters, clientID: clientID)
  }
}
