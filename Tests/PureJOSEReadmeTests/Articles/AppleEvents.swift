import JOSE
import AppleSignInKit

/// What a website has of its users' Apple Accounts.
protocol AppleAccounts: Sendable {
  /// `AppleIdentity.issuedAt` of the last sign-in with an Apple Account; nil if no user has linked it.
  func lastSignIn(of subject: String) async throws -> NumericDate?
  /// Unlinks an Apple Account, ends its sessions and deletes its tokens. It may be done twice.
  func unlink(_ subject: String) async throws
}

/// What Apple tells the server later.
struct AppleEvents {
  let receiver: AppleNotificationReceiver
  let accounts: any AppleAccounts

  func receive(_ request: HTTPRequestValue) async -> HTTPResponseValue {
    await receiver.receive(request) { event in
      try await accounts.lastSignIn(of: event.subject)
    } act: { event in
      switch event.event {
      case .consentRevoked, .accountDeleted: try await accounts.unlink(event.subject)
      case .emailDisabled, .emailEnabled, .other: break
      }
    }
  }
}
