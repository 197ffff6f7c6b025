import JOSE
import StrictJSON

extension LoginResponse {
  /// Puts a Kerberos ticket into the response, where its mapping says that a Mac looks for it.
  ///
  /// Getting the ticket, and sealing its private part under the session key, is the caller's task.
  /// - Throws: ``PlatformSSOErrorCode/callerMisuse`` if something stands at the mapping's path already, or if two of its names are one.
  public mutating func append(_ ticket: KerberosTicket) throws(PlatformSSOError) {
    let mapping = ticket.mapping
    let members: [(String, JSONValue)] = [
      (mapping.messageBufferKeyName, .string(Base64.encode(ticket.messageBuffer))),
      (mapping.realmKeyName, .string(ticket.realm)), (mapping.serviceNameKeyName, .string(ticket.serviceName)),
      (mapping.clientNameKeyName, .string(ticket.clientName)),
      (mapping.encryptionKeyTypeKeyName, .number(JSONNumber(ticket.encryptionKeyType))),
      (mapping.sessionKeyKeyName, .string(ticket.sessionKey)),
    ]
    var object = JSONObject()
    for (name, value) in members {
      guard object[name] == nil else {
        throw PlatformSSOError(.callerMisuse, "two members of the ticket have one name", name: name)
      }
      object[name] = value
    }
    let path = mapping.ticketKeyPath.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    guard !Self.ownMembers.containsBytes(of: path[0]),
      let extended = Self.placing(.object(object), at: path[...], in: additional)
    else {
      throw PlatformSSOError(.callerMisuse, "something stands where the ticket goes", name: mapping.ticketKeyPath)
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
    self.mapping = mapping
    self.messageBuffer = messageBuffer
    self.realm = realm
    self.serviceName = serviceName
    self.clientName = clientName
    self.encryptionKeyType = encryptionKeyType
    self.sessionKey = Base64.encode(sessionKey)
  }
}
