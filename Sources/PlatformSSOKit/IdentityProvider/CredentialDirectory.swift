import JOSE

/// What an app knows of its users: the one thing to write for a provider. Devices, tokens, codes and keys are records.
///
/// An error thrown here becomes `ErrorCode.storeUnavailable`, which tells the Mac to try later. "Not known" is nil or
/// ``CredentialVerdict/wrong``, never an error.
public protocol CredentialDirectory: Sendable {
  /// Judges a password. Compare in constant time, best by a password hash.
  ///
  /// Say more than ``CredentialVerdict/wrong`` only where the password was right, or the answers tell which accounts
  /// there are.
  /// - Throws: anything, if the directory can't say; see ``CredentialDirectory``.
  func passwordVerdict(
    _ password: String, of userName: String, on device: RegisteredDevice
  ) async throws -> CredentialVerdict

  /// Judges a user's account, for each login, refresh and key request once the user is known: a password, a refresh
  /// token or a key that was good once says nothing of an account that has been locked or removed since.
  ///
  /// - Throws: anything, if the directory can't say; see ``CredentialDirectory``.
  func accountVerdict(of userName: String, on device: RegisteredDevice) async throws -> CredentialVerdict

  /// The key of a smart card, for ES256, RS256, RS384 or RS512; nil if the card is not the user's. The default knows no
  /// cards.
  ///
  /// The app validates the path, the revocation and the mapping to the user.
  /// - Parameters:
  ///   - certificates: in DER as they came with the request, the card's first.
  ///   - userName: whom the request names.
  ///   - device: the one that sent the request.
  /// - Throws: anything, if the directory can't say; see ``CredentialDirectory``.
  func smartCardKey(
    certificates: [[UInt8]], of userName: String, on device: RegisteredDevice
  ) async throws -> VerificationKey?
}

extension CredentialDirectory {
  /// Knows no smart card.
  ///
  /// - Throws: nothing.
  public func smartCardKey(
    certificates: [[UInt8]], of userName: String, on device: RegisteredDevice
  ) async throws -> VerificationKey? { nil }
}
