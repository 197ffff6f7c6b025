import PureCrypto
import JOSE
import StrictJSON

/// Where a login response has a Kerberos ticket: a dictionary, and the names of its members. Identity providers choose
/// them freely.
///
/// Source: Apple, ASAuthorizationProviderExtensionKerberosMapping.
public struct KerberosTicketMapping: Sendable, Hashable {
  /// Where the dictionary stands in the response: member names joined by dots.
  package var ticketKeyPath: String
  /// The member with the AS-REP message.
  package var messageBufferKeyName: String
  /// The member with the realm.
  package var realmKeyName: String
  /// The member with the service's name.
  package var serviceNameKeyName: String
  /// The member with the client's name.
  package var clientNameKeyName: String
  /// The member with the session key's type.
  package var encryptionKeyTypeKeyName: String
  /// The member with the session key.
  package var sessionKeyKeyName: String

  /// A mapping. The defaults are the names of Apple's sample.
  public init(
    ticketKeyPath: String, messageBufferKeyName: String = "messageBuffer", realmKeyName: String = "realm",
    serviceNameKeyName: String = "serviceName", clientNameKeyName: String = "clientName",
    encryptionKeyTypeKeyName: String = "encryptionKeyType", sessionKeyKeyName: String = "sessionKey"
  ) {
    (self.ticketKeyPath, self.messageBufferKeyName) = (ticketKeyPath, messageBufferKeyName)
    (self.realmKeyName, self.serviceNameKeyName) = (realmKeyName, serviceNameKeyName)
    (self.clientNameKeyName, self.encryptionKeyTypeKeyName) = (clientNameKeyName, encryptionKeyTypeKeyName)
    self.sessionKeyKeyName = sessionKeyKeyName
  }
}

/// A Kerberos ticket of a login response. Nothing in it is checked against Kerberos.
public struct KerberosTicket: Sendable {
  /// The mapping that found it.
  package let mapping: KerberosTicketMapping
  /// The AS-REP message.
  public let messageBuffer: [UInt8]
  /// The Kerberos realm of service and client, such as `EXAMPLE.COM`.
  public let realm: String
  /// The service's name.
  public let serviceName: String
  /// The client's name.
  public let clientName: String
  /// The session key's type (RFC 3962 §7), such as 18 for `aes256-cts-hmac-sha1-96`.
  public let encryptionKeyType: Int
  /// The session key as it stands in the response: Apple does not say how it is encoded.
  public let sessionKey: String

  /// Reads the ticket, or returns nil if the response has none there. An incomplete ticket counts as malformed.
  init?(_ mapping: KerberosTicketMapping, in response: JSONObject) throws(JOSEError) {
    guard let value = response.value(atKeyPath: mapping.ticketKeyPath) else { return nil }
    guard case .object(let object) = value else { throw MessageMembers(response).invalid(mapping.ticketKeyPath) }
    let ticket = MessageMembers(object)
    let message = try ticket.string(mapping.messageBufferKeyName)
    guard let messageBuffer = (try? Base64.decode(message)) ?? (try? Base64URL.decode(message)) else {
      throw ticket.invalid(mapping.messageBufferKeyName)
    }
    guard let type = try ticket.seconds(ifPresent: mapping.encryptionKeyTypeKeyName) else {
      throw ticket.missing(mapping.encryptionKeyTypeKeyName)
    }
    self.mapping = mapping
    self.messageBuffer = messageBuffer
    realm = try ticket.string(mapping.realmKeyName)
    serviceName = try ticket.string(mapping.serviceNameKeyName)
    clientName = try ticket.string(mapping.clientNameKeyName)
    encryptionKeyType = type
    sessionKey = try ticket.nonEmptyString(mapping.sessionKeyKeyName)
  }
}

extension KerberosTicket: Redacted {}
