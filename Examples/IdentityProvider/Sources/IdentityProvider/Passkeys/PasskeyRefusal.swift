/// Why a passkey is refused. The names go into the audit log.
enum PasskeyRefusal: String, Error, Sendable {
  case malformed
  /// The data is for another purpose, or from a frame of another site.
  case otherPurpose
  case challengeUnknown
  case otherOrigin
  case otherName
  case userNotPresent
  case userNotVerified
  case backupStateImpossible
  case keyUnsuitable
  /// There is an attestation other than the key's own, which was not requested.
  case attestationPresent
  case credentialUnknown
  case credentialKnown
  case otherUser
  case signatureInvalid
  /// Two authenticators may have the same key.
  case counterWentBack
}
