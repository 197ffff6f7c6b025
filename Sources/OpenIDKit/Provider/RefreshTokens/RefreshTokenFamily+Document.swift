import JOSE
import StrictJSON

/// What is stored of a family: version 2, in binary, or 3 if it says how the user authenticated. Version 1 was a JSON
/// object, and is still read.
extension RefreshTokenFamily {
  /// The first octet of a document in binary, which none in JSON begins with.
  private static let form: UInt8 = 2
  /// That of one with ``RefreshGrant/authenticationContext`` at its end.
  private static let formWithContext: UInt8 = 3

  /// The document of its record. It holds no token.
  package func serialized() -> [UInt8] {
    let context = grant.authenticationContext
    var writer = StoredOctets.Writer([context == nil ? Self.form : Self.formWithContext], capacity: 256)
    writer.append(id.octets)
    writer.append(createdAt)
    writer.append(lastUsedAt)
    writer.append(generation)
    writer.append(UInt64(clamping: replayCount))
    writer.append(absoluteExpiration) { $0.append($1) }
    writer.append(rotatedAt) { $0.append($1) }
    var end: (reason: LogoutReason, date: NumericDate)?
    if case .revoked(let reason, let date) = status { end = (reason, date) }
    writer.append(end) {
      $0.append($1.reason.description)
      $0.append($1.date)
    }
    writer.append(grant.subject)
    writer.append(grant.clientID)
    writer.append(grant.scope)
    writer.append(grant.resources)
    for text in [grant.sessionID, grant.confirmation, grant.deviceSecretID, grant.grantID] {
      writer.append(text) { $0.append($1) }
    }
    writer.append(grant.authenticationTime) { $0.append($1) }
    writer.append(grant.accessTokenLifetime?.inSeconds) { $0.append($1) }
    if let context { writer.append(context) }
    return StoredOctets.sealed(writer.octets)
  }

  /// Reads a family that ``serialized()`` wrote, or its predecessor, which wrote JSON.
  ///
  /// - Throws: `ErrorCode.recordMalformed`.
  package init(parsing document: [UInt8]) throws(OpenIDError) {
    do {
      let isBinary = document.first == Self.form || document.first == Self.formWithContext
      self = isBinary ? try Self(binary: document) : try Self(json: document)
    } catch {
      throw OpenIDError(.recordMalformed, "the stored family can't be read")
    }
  }

  private init(binary document: [UInt8]) throws(StoredOctets.Damaged) {
    var reader = try StoredOctets.Reader(document)
    guard let id = ID(octets: Array(try reader.octets(16))) else { throw StoredOctets.Damaged() }
    let (createdAt, lastUsedAt) = (try reader.date(), try reader.date())
    let (generation, replayCount) = (try reader.number(), Int(clamping: try reader.number()))
    let (absoluteExpiration, rotatedAt) = (try reader.dateIfPresent(), try reader.dateIfPresent())
    let end = try reader.ifPresent { reader throws(StoredOctets.Damaged) in
      Status.revoked(LogoutReason(try reader.text()), at: try reader.date())
    }
    var grant = RefreshGrant(
      subject: try reader.text(), clientID: try reader.text(), scope: try reader.texts(),
      resources: try reader.texts())
    grant.sessionID = try reader.textIfPresent()
    grant.confirmation = try reader.textIfPresent()
    grant.deviceSecretID = try reader.textIfPresent()
    grant.grantID = try reader.textIfPresent()
    grant.authenticationTime = try reader.dateIfPresent()
    grant.accessTokenLifetime = try reader.ifPresent { reader throws(StoredOctets.Damaged) in
      Duration(saturating: Double(bitPattern: try reader.number()))
    }
    if document.first == Self.formWithContext { grant.authenticationContext = try reader.text() }
    try reader.finish()
    self.init(id: id, grant: grant, createdAt: createdAt, absoluteExpiration: absoluteExpiration)
    (self.lastUsedAt, self.generation, self.replayCount) = (lastUsedAt, generation, replayCount)
    (self.rotatedAt, status) = (rotatedAt, end ?? .active)
  }

  private init(json: [UInt8]) throws(JSONError) {
    let object = try JSONObject(parsing: json)
    guard try object.integer("version") == 1, let id = ID(text: try object.string("id")) else {
      throw JSONError(.typeMismatch, "not a family of this version")
    }
    let grant = RefreshGrant(
      subject: try object.string("subject"), clientID: try object.string("client"),
      sessionID: try object.string(ifPresent: "session"), scope: try StoredJSON.strings(object["scope"]),
      resources: try StoredJSON.strings(object["resources"]),
      confirmation: try object.string(ifPresent: "confirmation"),
      deviceSecretID: try object.string(ifPresent: "deviceSecret"),
      authenticationTime: try Self.date(object, "authenticationTime"),
      accessTokenLifetime: try object.number(ifPresent: "accessTokenLifetime").map { Duration(saturating: $0.double) },
      grantID: try object.string(ifPresent: "grant"))
    self.init(
      id: id, grant: grant, createdAt: try StoredJSON.date(object.number("createdAt")),
      absoluteExpiration: try Self.date(object, "absoluteExpiration"))
    lastUsedAt = try StoredJSON.date(object.number("lastUsedAt"))
    generation = try StoredJSON.counter(object.number("generation"))
    rotatedAt = try Self.date(object, "rotatedAt")
    replayCount = Int(clamping: try object.integer("replayCount"))
    if let revoked = try object.object(ifPresent: "revoked") {
      status = .revoked(LogoutReason(try revoked.string("reason")), at: try StoredJSON.date(revoked.number("at")))
    }
  }

  private static func date(_ object: JSONObject, _ name: String) throws(JSONError) -> NumericDate? {
    guard let number = try object.number(ifPresent: name) else { return nil }
    return try StoredJSON.date(number)
  }
}

extension StoredOctets.Writer {
  fileprivate mutating func append(_ date: NumericDate) { append(date.secondsSince1970) }
}

extension StoredOctets.Reader {
  fileprivate mutating func date() throws(StoredOctets.Damaged) -> NumericDate {
    guard let date = NumericDate(secondsSince1970: Double(bitPattern: try number())) else {
      throw StoredOctets.Damaged()
    }
    return date
  }

  fileprivate mutating func dateIfPresent() throws(StoredOctets.Damaged) -> NumericDate? {
    try ifPresent { reader throws(StoredOctets.Damaged) in try reader.date() }
  }

  fileprivate mutating func textIfPresent() throws(StoredOctets.Damaged) -> String? {
    try ifPresent { reader throws(StoredOctets.Damaged) in try reader.text() }
  }
}
