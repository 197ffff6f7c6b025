import JOSE

/// What can go wrong in Platform SSO only.
extension ErrorCode {
  /// A custom claim would take the place of one that the message defines.
  package static let customClaimReserved = Self("customClaimReserved", .callerMisuse)

  /// `client-request-id` is not the one that the server nonce was given to.
  package static let clientRequestIDMismatch = Self("clientRequestIDMismatch", .rejected)

  /// The response is asked for, or sent, with an encryption other than ECDH-ES and A256GCM.
  package static let encryptionUnsupported = Self("encryptionUnsupported", .unsupported)

  /// The initialization vector of a JWE has more than the 12 octets that A256GCM has. A known server sends 96.
  package static let initializationVectorUnsupported = Self("initializationVectorUnsupported", .unsupported)

  /// HPKE, whose layout in Platform SSO is not documented.
  package static let hpkeUnsupported = Self("hpkeUnsupported", .unsupported)

  /// A key identifier is not 32 octets in base64, or not that of the key it comes with.
  package static let keyIdentifierInvalid = Self("keyIdentifierInvalid", .malformedMessage)

  /// No device is registered with this signing key.
  package static let deviceUnknown = Self("deviceUnknown", .notAuthentic)

  /// The user has no such key, or not on this device.
  package static let userKeyUnknown = Self("userKeyUnknown", .credentialRejected)

  /// `exp` lies further behind `iat` than is accepted.
  package static let lifetimeTooLong = Self("lifetimeTooLong", .rejected)

  /// The server nonce was not made by this provider.
  package static let serverNonceInvalid = Self("serverNonceInvalid", .rejected)

  /// The server nonce is too old.
  package static let serverNonceExpired = Self("serverNonceExpired", .rejected)

  /// The server nonce was used before.
  package static let serverNonceReplayed = Self("serverNonceReplayed", .rejected)

  /// The device used its own nonce before.
  package static let clientNonceReplayed = Self("clientNonceReplayed", .rejected)

  /// PartyUInfo or PartyVInfo is not made of the length-prefixed fields it must have.
  package static let partyInfoMalformed = Self("partyInfoMalformed", .malformedMessage)

  /// The first field of PartyUInfo or PartyVInfo is another one: `APPLE` and `Apple` are not the same.
  package static let partyInfoPrefixInvalid = Self("partyInfoPrefixInvalid", .malformedMessage)

  /// PartyUInfo names another key than `epk`, or PartyVInfo another one than the recipient's.
  package static let partyInfoKeyMismatch = Self("partyInfoKeyMismatch", .rejected)

  /// PartyVInfo ends with another nonce than the request's.
  package static let partyInfoNonceMismatch = Self("partyInfoNonceMismatch", .rejected)

  /// The response's `apv` is not the one that the device sent.
  package static let partyInfoMismatch = Self("partyInfoMismatch", .notAuthentic)

  /// The refresh token is unknown, expired, replaced, or was given to another client.
  package static let refreshTokenRejected = Self("refreshTokenRejected", .credentialRejected)

  /// The password is wrong.
  public static let passwordRejected = Self("passwordRejected", .credentialRejected)

  /// The identity provider refused the user's credential.
  public static let credentialRejected = Self("credentialRejected", .credentialRejected)

  /// The code of a web-based login is unknown, was used before, or was given to another client or for another purpose.
  package static let authorizationCodeRejected = Self("authorizationCodeRejected", .credentialRejected)

  /// The account is locked or disabled.
  public static let accountLocked = Self("accountLocked", .rejected)

  /// The password has expired.
  public static let passwordExpired = Self("passwordExpired", .rejected)

  /// The password must be changed before it is used.
  public static let passwordChangeRequired = Self("passwordChangeRequired", .rejected)

  /// The provider does not expect this registration: its token is not the one for the Mac.
  package static let registrationRefused = Self("registrationRefused", .rejected)

  /// Another device is registered with the name or the key, or this one with other keys.
  public static let deviceConflict = Self("deviceConflict", .rejected)

  /// The grant is not one that is accepted.
  package static let grantUnsupported = Self("grantUnsupported", .unsupported)

  /// The key context was not made by this provider for this user and device.
  package static let keyContextInvalid = Self("keyContextInvalid", .rejected)

  /// A registration that must be attested has no attestation.
  package static let attestationMissing = Self("attestationMissing", .malformedMessage)

  /// The certificates of an attestation break a rule, or lead to no root that is trusted. The error's name says which
  /// rule.
  package static let attestationInvalid = Self("attestationInvalid", .notAuthentic)

  /// The attestation is for another key than the one that is registered.
  package static let attestationKeyMismatch = Self("attestationKeyMismatch", .notAuthentic)

  /// The attestation was made for another nonce, or for none.
  package static let attestationNotFresh = Self("attestationNotFresh", .rejected)

  /// The attestation doesn't name the Mac, which the provider asks for. The profile needs
  /// `AllowDeviceIdentifiersInAttestation`.
  package static let attestedIdentifierMissing = Self("attestedIdentifierMissing", .rejected)

  /// The attestation names another Mac.
  package static let attestedIdentifierMismatch = Self("attestedIdentifierMismatch", .notAuthentic)
}
