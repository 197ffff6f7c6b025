import JOSEHTTP

extension NativeSSOClient {
  /// How far a sign-out goes.
  public enum SignOutScope: Sendable, Hashable {
    /// This app only. The vendor's pair stays, and this app does not sign in by itself until the user asks.
    case thisApp
    /// All apps of the vendor on this device: the device secret is revoked too and the pair deleted.
    case everywhere
  }

  /// What of a sign-out the server confirmed. Locally, everything is gone in any case.
  public struct SignOut: Sendable, Hashable {
    /// Whether the refresh token was revoked, or there was none.
    public let refreshTokenRevoked: Bool
    /// Whether the device secret was revoked. Servers may not know how; the pair is deleted in any case.
    public let deviceSecretRevoked: Bool
  }

  /// Signs out. Tokens that are under way, of a refresh or a sign-in that began before, are not kept and given back.
  ///
  /// - Parameters:
  ///   - scope: this app alone, or all of the vendor on this device.
  ///   - tokens: this app's, of which the refresh token is revoked at the server; nil if there are none any more.
  /// - Throws: ``NativeSSOErrorCode/storeFailed`` if something could not be deleted locally.
  public func signOut(_ scope: SignOutScope, tokens: TokenSet?) async throws(NativeSSOError) -> SignOut {
    noteSignOut(scope)
    var refreshTokenRevoked = true
    if let refreshToken = tokens?.refreshToken {
      refreshTokenRevoked = await revoke(refreshToken, hint: "refresh_token")
    }
    var deviceSecretRevoked = false
    do {
      if scope == .everywhere {
        deviceSecretRevoked = try await deletePair()
      }
      try await changingTokens {
        try await appTokens.clear()
        try await appTokens.setSuppressesAutomaticSignIn(true)
      }
    } catch {
      throw NativeSSOError(.storeFailed, "not everything could be deleted")
    }
    return SignOut(refreshTokenRevoked: refreshTokenRevoked, deviceSecretRevoked: deviceSecretRevoked)
  }

  func deletePair() async throws -> Bool {
    let issuer = configuration.metadata.issuer
    var isRevoked = false
    // Another app can be faster each time, but not for ever.
    for _ in 0..<8 {
      let (entry, isDamaged) = try await sharedEntry()
      guard entry.pair != nil || isDamaged else { return isRevoked }
      if let pair = entry.pair { isRevoked = await revoke(pair.deviceSecret.reveal(), hint: "device_secret") }
      if try await store.replace(issuer: issuer, expecting: entry.generation, with: nil) { return isRevoked }
    }
    throw NativeSSOError(.storeFailed, "other apps keep writing")
  }

  /// RFC 7009. A server that does not know the hint may ignore it or refuse.
  func revoke(_ token: String, hint: String) async -> Bool {
    guard let endpoint = configuration.metadata.revocationEndpoint else { return false }
    let form: FormFields = ["token": token, "token_type_hint": hint, "client_id": configuration.clientID]
    let response = try? await configuration.transport(configuration.request(form, to: endpoint))
    return response?.status == 200
  }
}
