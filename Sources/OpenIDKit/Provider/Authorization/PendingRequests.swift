import JOSE
import PureCrypto
import StrictJSON

/// An authorization request that waits while its user answers pages, as it is stored.
struct PendingRequest: Sendable {
  let parameters: FormFields
  let isPushed: Bool
  /// SHA-256 of the name of the browser that may go on with it; nil as long as none has come for it.
  var visit: [UInt8]?
  /// The login that was made for this very request: its user and session.
  var loggedIn: WireName?
  /// The login whose user has agreed to this very request.
  var consented: WireName?
  /// ``RegisteredClient/snapshot`` of the client that the user was asked about.
  var client: WireName?

  fileprivate var document: [UInt8] {
    var object: JSONObject = [
      "version": 1, "pushed": .bool(isPushed),
      "parameters": .array(parameters.fields.map { [.string($0.name), .string($0.value)] }),
    ]
    object["visit"] = visit.map { .string(Base64URL.encode($0)) }
    object["loggedIn"] = loggedIn.map { .string($0.text) }
    object["consented"] = consented.map { .string($0.text) }
    object["client"] = client.map { .string($0.text) }
    return object.serialized()
  }

  fileprivate init(_ document: [UInt8]) throws(OpenIDError) {
    do throws(JSONError) {
      let object = try JSONObject(parsing: document)
      guard try object.integer("version") == 1, let pairs = object["parameters"]?.arrayValue else {
        throw JSONError(.typeMismatch, "not a request of this version")
      }
      parameters = FormFields(
        try pairs.map { pair throws(JSONError) in
          let pair = try StoredJSON.strings(pair)
          guard pair.count == 2 else { throw JSONError(.typeMismatch, "a field is no pair") }
          return (pair[0], pair[1])
        })
      isPushed = object["pushed"]?.boolValue ?? false
      visit = try object.string(ifPresent: "visit").flatMap { try? Base64URL.decode($0) }
      (loggedIn, consented) = (object["loggedIn"]?.nameValue, object["consented"]?.nameValue)
      client = object["client"]?.nameValue
    } catch {
      throw OpenIDError(.recordMalformed, "the stored request can't be read")
    }
  }

  init(_ parameters: FormFields, isPushed: Bool, visit: [UInt8]?) {
    (self.parameters, self.isPushed, self.visit) = (parameters, isPushed, visit)
  }
}

extension PendingRequest: Redacted {}

/// The authorization requests that wait, by the hashes of their names, each for half an hour.
struct PendingRequests: Sendable {
  static let kind = StoredRecord.Kind(library: "authorization-request")
  static let lifetime = Duration.seconds(1800)

  let records: any RecordStore
  let clock: WallClock

  /// Keeps a request, and returns its name.
  func add(_ request: PendingRequest) async throws(OpenIDError) -> String {
    let name = Base64URL.encode(SystemRandom.bytes(count: 32))
    let record = StoredRecord(
      kind: Self.kind, key: Self.hash(name), createdAt: clock.now, expiresAt: clock.now.advanced(by: Self.lifetime),
      document: request.document, attempt: SystemRandom.bytes(count: 16))
    guard try await OpenIDError.askingStore({ try await records.settle([.insert(record)]) }) == .done else {
      throw OpenIDError(.storeUnavailable, "the store refused a fresh name")
    }
    return name
  }

  /// The request of a name for a browser, changed as said; nil if there is none, its time is over, or it is another
  /// browser's. The first browser that comes for a request without one has it.
  func request(
    _ name: String, visit: String, change: (inout PendingRequest) -> Void = { _ in }
  ) async throws(OpenIDError) -> PendingRequest? {
    var found: PendingRequest?
    _ = try await OpenIDError.askingStore {
      try await records.update(Self.kind, key: Self.hash(name)) { known in
        found = nil
        guard let known, known.expiresAt.map({ clock.now < $0 }) ?? true else { return [] }
        var request = try PendingRequest(known.document)
        let (before, visit) = (request.document, Self.hash(visit))
        if request.visit == nil { request.visit = visit }
        guard let own = request.visit, ConstantTime.equal(own, visit) else { return [] }
        change(&request)
        found = request
        guard request.document != before else { return [] }
        var next = known
        (next.document, next.attempt) = (request.document, SystemRandom.bytes(count: 16))
        return [.replace(next)]
      }
    }
    return found
  }

  /// Removes a request. If two callers do so at once, only one gets true.
  func remove(_ name: String) async throws(OpenIDError) -> Bool {
    let key = Self.hash(name)
    return try await OpenIDError.askingStore {
      // A page that continues the request meanwhile changes its version.
      for _ in 0..<64 {
        guard let known = try await records.record(Self.kind, key: key) else { return false }
        if try await records.settle([.remove(Self.kind, key: key, version: known.version)]) == .done { return true }
      }
      return false
    }
  }

  /// What removes a request as it is now, for a commit with the code that answers it; nil if it is over.
  func removal(of name: String) async throws(OpenIDError) -> RecordChange? {
    let key = Self.hash(name)
    let known = try await OpenIDError.askingStore { try await records.record(Self.kind, key: key) }
    return known.map { .remove(Self.kind, key: key, version: $0.version) }
  }

  static func hash(_ name: String) -> [UInt8] { Array(SHA2.SHA256.hash(name.utf8)) }
}
