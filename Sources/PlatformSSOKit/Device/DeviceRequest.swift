import PureCrypto
import JOSE

/// A signed request, ready to be sent, and what the device must remember until the response comes.
public struct DeviceRequest: Sendable {
  /// Which message it is.
  package enum Message: Sendable, Hashable {
    /// A login request.
    case login
    /// A refresh request.
    case refresh
    /// A key request.
    case key
    /// A key exchange request.
    case keyExchange
  }

  /// Which message it is.
  package let message: Message

  /// What to send.
  public let httpRequest: HTTPRequestValue

  /// The signed request alone, a compact JWS.
  public let assertion: String

  /// The request's nonces.
  public let nonces: RequestNonces

  /// For whom the response is to be encrypted. The device opens the response with these octets, not with the
  /// response's.
  package let agreementPartyVInfo: PartyVInfo

  /// Whether the answer may have the shared secret of two keys in it.
  let asksForKey: Bool

  /// What a server may send back of the request and no error may repeat: passwords, tokens, codes, and what the
  /// configuration adds. Nil if it is not known: the password of a request that was read back may be encrypted.
  package let withheld: [String]?
}

extension DeviceRequest: Redacted {}
