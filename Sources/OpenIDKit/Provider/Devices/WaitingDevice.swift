import JOSE
import PureCrypto
import StrictJSON

/// A device that waits for its user to answer on another one, as it is stored: under the hash of its device code.
/// Neither of its codes is in it.
///
/// Its state goes one way: it waits, and then its user has agreed or refused. What was agreed to is kept as the record
/// of an authorization code of the same hash, written in the same commit, and is used up as that is.
struct WaitingDevice: Sendable {
  static let kind = StoredRecord.Kind(library: "waiting-device")

  /// What its user has said.
  enum Answer: String {
    case none, agreed, refused
  }

  let clientID: WireName
  let scopes, resources: [String]
  /// The key that the first request proved possession of. The others have to prove the same.
  let keyThumbprint: WireName?
  /// Where the first request came from.
  let source: String
  let startedAt, expiration: NumericDate
  /// ``RegisteredClient/snapshot`` of its client, as it began.
  let snapshot: WireName?
  var answer = Answer.none
  /// How many seconds the device has to wait between two questions.
  private(set) var interval = Self.firstInterval
  /// When it last asked, having waited long enough.
  private var askedAt: NumericDate?

  /// RFC 8628 §3.2 has 5 where an answer doesn't say.
  static let firstInterval = 5
  /// Longer than any slow device has to wait. An impatient one would else not hear before its code has expired.
  private static let longestInterval = 60

  init(
    of client: RegisteredClient, scopes: [String], resources: [String], keyThumbprint: String?, source: String,
    startedAt: NumericDate, expiration: NumericDate
  ) {
    (clientID, snapshot) = (WireName(client.id), client.snapshotName)
    (self.scopes, self.resources, self.source) = (scopes, resources, source)
    self.keyThumbprint = keyThumbprint.map { WireName($0) }
    (self.startedAt, self.expiration) = (startedAt, expiration)
  }

  /// Whether a client's request may be this device's.
  func isAsking(_ client: AuthenticatedClient) -> Bool {
    guard clientID == client.id else { return false }
    guard let keyThumbprint else { return true }
    return client.confirmation.map { keyThumbprint == $0 } ?? false
  }

  /// Notes that the device has asked. False if it did so too early: from then on it has to wait five seconds longer.
  ///
  /// What counts is the last time that it did wait: else a device whose clock is a little fast would be early for ever.
  ///
  /// Source: RFC 8628 §3.5.
  mutating func ask(at now: NumericDate) -> Bool {
    if let askedAt, now < askedAt.advanced(by: Double(interval)) {
      interval = min(interval + 5, Self.longestInterval)
      return false
    }
    askedAt = now
    return true
  }

  // MARK: Stored form

  var document: [UInt8] {
    var object: JSONObject = [
      "version": 1, "client": .string(clientID.text), "scopes": .array(scopes.map { .string($0) }),
      "resources": .array(resources.map { .string($0) }), "source": .string(source),
      "startedAt": StoredJSON.number(startedAt.secondsSince1970),
      "expiration": StoredJSON.number(expiration.secondsSince1970), "answer": .string(answer.rawValue),
      "interval": .number(JSONNumber(interval)),
    ]
    object["keyThumbprint"] = keyThumbprint.map { .string($0.text) }
    object["snapshot"] = snapshot.map { .string($0.text) }
    object["askedAt"] = askedAt.map { StoredJSON.number($0.secondsSince1970) }
    return object.serialized()
  }

  init(_ document: [UInt8]) throws(OpenIDError) {
    do throws(JSONError) {
      let object = try JSONObject(parsing: document)
      let interval = try object.integer("interval")
      guard try object.integer("version") == 1, let answer = Answer(rawValue: try object.string("answer")),
        (Int64(Self.firstInterval)...Int64(Self.longestInterval)).contains(interval)
      else { throw JSONError(.typeMismatch, "not a device of this version") }
      clientID = WireName(try object.string("client"))
      (scopes, resources) = (try StoredJSON.strings(object["scopes"]), try StoredJSON.strings(object["resources"]))
      (keyThumbprint, snapshot) = (object["keyThumbprint"]?.nameValue, object["snapshot"]?.nameValue)
      (source, self.answer) = (try object.string("source"), answer)
      startedAt = try StoredJSON.date(object.number("startedAt"))
      expiration = try StoredJSON.date(object.number("expiration"))
      self.interval = Int(interval)
      askedAt = try object.number(ifPresent: "askedAt").map { number throws(JSONError) in try StoredJSON.date(number) }
    } catch {
      throw OpenIDError(.recordMalformed, "the stored device can't be read")
    }
  }
}

extension WaitingDevice: Redacted {}
