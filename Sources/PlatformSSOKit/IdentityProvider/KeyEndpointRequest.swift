import JOSE
import PureCrypto
import StrictJSON

/// A key request or a key exchange request that has been checked. Answer one with
/// ``IdentityProvider/keyResponse(to:certificate:keyContext:)``, the other with
/// ``IdentityProvider/keyExchangeResponse(to:unlockKey:keyContext:)``.
public struct KeyEndpointRequest: Sendable {
  /// What all signed requests have in common, the device among it.
  public let request: VerifiedRequest
  /// The user, to whom the refresh token in the request was given.
  public let userName: String
  /// The refresh token. It was given to this user on this device, and is current or was replaced a moment ago.
  public let refreshToken: String
  /// The key context that the device was given last, if it was given one. Not checked.
  public let keyContext: String?

  /// The other public key: on the curve, which keeps the answer from telling anything of the unlock key.
  let otherPublicKey: P256AgreementPublicKey?

  /// The other public key of a key exchange request, as 65 octets `04 ‖ X ‖ Y`. It is on the curve. Nil for a key
  /// request, which asks for the certificate of the unlock key.
  public var otherPublicKeyX963Representation: [UInt8]? { otherPublicKey?.x963Representation }
}

extension KeyEndpointRequest {
  /// The shared secret of an unlock key and the other public key, in base64.
  func sharedSecret(of unlockKey: UnlockKey) throws(JOSEError) -> String {
    guard let otherPublicKey else {
      throw JOSEError(.callerMisuse, "a key request must be answered with a certificate", name: "request")
    }
    guard let sharedSecret = try? unlockKey.privateKey.sharedSecret(with: otherPublicKey) else {
      throw JOSEError(.keyInvalid, "the keys have no shared secret", name: "other_publickey")
    }
    return unsafe sharedSecret.withUnsafeBytes { unsafe Base64.encode($0) }
  }

  /// 65 octets in padded base64, or in whatever base64 by choice; uncompressed and on the curve.
  static func otherPublicKey(
    _ claims: MessageMembers, inAnyBase64: Bool
  ) throws(JOSEError) -> P256AgreementPublicKey {
    let text = try claims.string("other_publickey")
    let decoded = inAnyBase64 ? AnyBase64.decode(text) : try? Base64.decode(text)
    guard let octets = decoded else { throw claims.invalid("other_publickey") }
    guard let key = try? P256AgreementPublicKey(x963Representation: octets) else {
      throw JOSEError(
        .keyInvalid, "the other key is not an uncompressed point of P-256", name: "other_publickey")
    }
    return key
  }
}

extension KeyEndpointRequest: Redacted {}
