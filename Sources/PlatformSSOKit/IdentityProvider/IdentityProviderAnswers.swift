import JOSE

/// What ``IdentityProvider/response(to:with:)`` asks of its caller: the tokens, keys and pages that a checked request
/// is answered with.
///
/// Each method is called once everything in the request has been checked: signature, nonces, credential and account.
/// That is the place for a line in an audit log, too.
///
/// Nil refuses the request. A `JOSEError` of this library's goes on as it is; any other error becomes
/// `ErrorCode.storeUnavailable`, which tells the Mac to try later.
public protocol IdentityProviderAnswers: Sendable {
  /// Encrypts the unlock keys that Macs carry in their key contexts; nil gives them none. The default is nil.
  var keyContexts: KeyContexts? { get }

  /// The tokens for a user who has logged in, or whose login is renewed; nil for a user or a device that is gone
  /// meanwhile.
  ///
  /// - Parameters:
  ///   - request: says who asks, on which device.
  ///   - provider: signs the ID token:
  ///     ``IdentityProvider/idToken(for:subject:additional:)``.
  /// - Throws: see ``IdentityProviderAnswers``.
  func tokens(
    for request: TokenEndpointRequest, by provider: IdentityProvider
  ) async throws -> LoginResponse?

  /// The unlock key of a user on a device: the same one whenever it is asked for, or the Mac loses what it has wrapped.
  /// Nil for a user or a device that is gone meanwhile. The default keeps the keys among the provider's records, if
  /// there are ``keyContexts`` that encrypt them, and has none otherwise.
  ///
  /// - Parameters:
  ///   - request: says who asks, on which device, and whether the key is to be certified or used.
  ///   - provider: the one that was asked.
  /// - Throws: see ``IdentityProviderAnswers``.
  func unlockKey(for request: KeyEndpointRequest, by provider: IdentityProvider) async throws -> UnlockKey?

  /// How a user logs in, of whom nothing is proved yet. The default: as everybody does.
  ///
  /// - Parameters:
  ///   - request: names the user. Anybody may ask.
  ///   - provider: makes the parameters of a login by a browser:
  ///     ``IdentityProvider/authorizationParameters(clientID:scope:)``.
  /// - Throws: see ``IdentityProviderAnswers``.
  func preauthenticationAnswer(
    to request: PreauthenticationRequest, by provider: IdentityProvider
  ) async throws -> PreauthenticationAnswer

  /// The page, or the way to it, where a user of a registered device logs in by the browser. The default has none.
  ///
  /// - Throws: see ``IdentityProviderAnswers``.
  func loginPage(for request: AuthorizationRequest) async throws -> HTTPResponseValue?
}

extension IdentityProviderAnswers {
  /// No contexts: the provider keeps the keys.
  public var keyContexts: KeyContexts? { nil }

  /// The key among the provider's records; nil without ``keyContexts``.
  ///
  /// - Throws: as ``DeviceLoginService/unlockKey(of:on:sealedBy:)``.
  public func unlockKey(for request: KeyEndpointRequest, by provider: IdentityProvider) async throws -> UnlockKey? {
    guard let keyContexts else { return nil }
    return try await provider.logins.unlockKey(
      of: request.userName, on: request.request.device, sealedBy: keyContexts)
  }

  /// As everybody does, the same for every name.
  ///
  /// - Throws: nothing.
  public func preauthenticationAnswer(
    to request: PreauthenticationRequest, by provider: IdentityProvider
  ) async throws -> PreauthenticationAnswer { .managed }

  /// No page: logins by a browser are refused.
  ///
  /// - Throws: nothing.
  public func loginPage(for request: AuthorizationRequest) async throws -> HTTPResponseValue? { nil }
}
