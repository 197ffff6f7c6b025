import PureCrypto
import JOSE
import StrictJSON

/// The tokens that answer a login request or a refresh request.
///
/// Source: Apple, Creating a JSON Web Encryption (JWE) login response.
public struct LoginResponse: Sendable {
  /// `id_token`: a compact JWS.
  public var idToken: String
  /// `refresh_token`: opaque text that the device returns in refresh and key requests.
  public var refreshToken: String
  /// `refresh_token_expires_in`: how long the session lasts, in whole seconds.
  public var refreshTokenExpiresIn: Duration?
  /// `expires_in`, in whole seconds. Needed if ``refreshTokenExpiresIn`` is nil.
  public var expiresIn: Duration?
  /// `token_type`. Expected to be `Bearer`; devices do not verify it.
  public var tokenType: String?
  /// Every other member, Kerberos tickets among them.
  public var additional: JSONObject

  /// The tokens of a response.
  public init(
    idToken: String, refreshToken: String, refreshTokenExpiresIn: Duration?, expiresIn: Duration? = nil,
    tokenType: String? = "Bearer", additional: JSONObject = [:]
  ) {
    (self.idToken, self.refreshToken, self.refreshTokenExpiresIn) = (idToken, refreshToken, refreshTokenExpiresIn)
    (self.expiresIn, self.tokenType, self.additional) = (expiresIn, tokenType, additional)
  }

  /// How long the session lasts, from ``refreshTokenExpiresIn`` or else ``expiresIn``.
  package var sessionLifetime: Duration? { refreshTokenExpiresIn ?? expiresIn }

  static let ownMembers: [WireName] = [
    "id_token", "refresh_token", "refresh_token_expires_in", "expires_in", "token_type",
  ]

  /// Reads the decrypted response. Numbers may be strings of digits, as some servers write them.
  init(_ members: MessageMembers) throws(JOSEError) {
    idToken = try members.nonEmptyString("id_token")
    refreshToken = try members.nonEmptyString("refresh_token")
    refreshTokenExpiresIn = try members.seconds(ifPresent: "refresh_token_expires_in").map { .seconds($0) }
    expiresIn = try members.seconds(ifPresent: "expires_in").map { .seconds($0) }
    tokenType = try members.string(ifPresent: "token_type")
    guard refreshTokenExpiresIn != nil || expiresIn != nil else { throw members.missing("refresh_token_expires_in") }
    additional = members.object(without: Self.ownMembers)
  }

  /// The response's members. Without a lifetime, or with an additional member of the response's own name, it is a
  /// misuse.
  func jsonObject() throws(JOSEError) -> JSONObject {
    guard let sessionLifetime, sessionLifetime >= .zero else {
      throw JOSEError(
        .callerMisuse, "a response needs a lifetime of 0 seconds or more", name: "refreshTokenExpiresIn")
    }
    var object: JSONObject = ["id_token": .string(idToken), "refresh_token": .string(refreshToken)]
    for (name, lifetime) in [("refresh_token_expires_in", refreshTokenExpiresIn), ("expires_in", expiresIn)] {
      if let lifetime { object[name] = .number(JSONNumber(lifetime.wholeSeconds)) }
    }
    if let tokenType { object["token_type"] = .string(tokenType) }
    try object.append(additional, reserved: Self.ownMembers)
    return object
  }
}

extension LoginResponse: Redacted {}

extension LoginResponse {
  /// Puts a Kerberos ticket into the response, where its mapping says that a Mac looks for it.
  ///
  /// Getting the ticket, and sealing its private part under the session key, is the caller's task.
  /// - Throws: `ErrorCode.callerMisuse` if something stands at the mapping's path already, or if two of
  ///   its names are one.
  public mutating func append(_ ticket: KerberosTicket) throws(JOSEError) {
    let mapping = ticket.mapping
    let members: [(String, JSONValue)] = [
      (mapping.messageBufferKeyName, .string(Base64.encode(ticket.messageBuffer))),
      (mapping.realmKeyName, .string(ticket.realm)), (mapping.serviceNameKeyName, .string(ticket.serviceName)),
      (mapping.clientNameKeyName, .string(ticket.clientName)),
      (mapping.encryptionKeyTypeKeyName, .number(JSONNumber(ticket.encryptionKeyType))),
      (mapping.sessionKeyKeyName, .string(ticket.sessionKey)),
    ]
    var object = JSONObject()
    for member in members { try object.append(JSONObject([member]), reserved: []) }
    let path = mapping.ticketKeyPath.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    guard !Self.ownMembers.contains(path[0]),
      let extended = Self.placing(.object(object), at: path[...], in: additional)
    else {
      throw JOSEError(.callerMisuse, "another member has the ticket's place", name: mapping.ticketKeyPath)
    }
    additional = extended
  }

  /// The object with a value at a path; nil if something is there.
  private static func placing(
    _ value: JSONValue, at path: ArraySlice<String>, in object: JSONObject
  ) -> JSONObject? {
    guard let name = path.first else { return nil }
    var object = object
    guard path.count > 1 else {
      guard object[name] == nil else { return nil }
      object[name] = value
      return object
    }
    let inner = object[name] ?? .object([:])
    guard case .object(let inner) = inner, let placed = placing(value, at: path.dropFirst(), in: inner) else {
      return nil
    }
    object[name] = .object(placed)
    return object
  }
}

extension JSONObject {
  /// Adds members that replace none, and none that may be there.
  mutating func append(_ additional: JSONObject, reserved: [WireName]) throws(JOSEError) {
    for (name, value) in additional.members {
      guard self[name] == nil, !reserved.contains(name) else {
        throw JOSEError(.callerMisuse, "a member would replace another one", name: name)
      }
      self[name] = value
    }
  }
}

extension KerberosTicket {
  /// A ticket that a provider got for a user.
  ///
  /// - Parameters:
  ///   - mapping: where the Mac's configuration looks for it.
  ///   - messageBuffer: the AS-REP message in DER.
  ///   - realm: such as `EXAMPLE.COM`.
  ///   - serviceName: such as `krbtgt/EXAMPLE.COM`.
  ///   - clientName: the user, without the realm.
  ///   - encryptionKeyType: of the session key (RFC 3962 §7), such as 18 for `aes256-cts-hmac-sha1-96`.
  ///   - sessionKey: the octets, written in base64 as known servers do; Apple does not say how.
  public init(
    mapping: KerberosTicketMapping, messageBuffer: [UInt8], realm: String, serviceName: String, clientName: String,
    encryptionKeyType: Int, sessionKey: [UInt8]
  ) {
    (self.mapping, self.messageBuffer, self.realm, self.serviceName) = (mapping, messageBuffer, realm, serviceName)
    (self.clientName, self.encryptionKeyType) = (clientName, encryptionKeyType)
    self.sessionKey = Base64.encode(sessionKey)
  }
}
