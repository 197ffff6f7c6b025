/// Why a passkey is not taken. The names go into the audit log.
enum PasskeyRefusal: String, Error, Sendable {
  case malformed
  /// Made for another purpose, or framed by another site.
  case otherPurpose
  case challengeUnknown
  case otherOrigin
  case otherName
  case userNotPresent
  case userNotVerified
  case backupStateImpossible
  case keyUnsuitable
  /// An attestation, which nobody has asked for.
  case attestationPresent
  case credentialUnknown
  case credentialKnown
  case otherUser
  case signatureInvalid
  /// Two authenticators have one key.
  case counterWentBack
}
