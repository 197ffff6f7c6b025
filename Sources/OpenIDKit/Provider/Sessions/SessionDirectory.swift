import JOSE
import StrictJSON

/// A user's authentication session at the provider.
public struct AuthenticationSession: Sendable {
  /// `sid`: unique, and of no use to a thief.
  public let id: String
  /// The provider's name for the user whose session it is.
  public let userID: String
  /// Whether the session lasts: neither logged out nor ended otherwise.
  public var isActive: Bool
  /// When the user authenticated. Stays the time of the original login across SSO.
  public let authenticatedAt: NumericDate
  /// `acr`, if known.
  public let authenticationContext: String?
  /// `amr`, if known.
  public let authenticationMethods: [String]?

  /// A session as the provider's own login knows it.
  public init(
    id: String, userID: String, isActive: Bool = true, authenticatedAt: NumericDate,
    authenticationContext: String? = nil, authenticationMethods: [String]? = nil
  ) {
    (self.id, self.userID, self.isActive, self.authenticatedAt) = (id, userID, isActive, authenticatedAt)
    (self.authenticationContext, self.authenticationMethods) = (authenticationContext, authenticationMethods)
  }
}

/// What the provider's user management knows.
public protocol SessionDirectory: Sendable {
  /// The session of this name, or nil.
  ///
  /// - Throws: anything; the request that needed it is answered with 503 and `temporarily_unavailable`.
  func session(id: String) async throws -> AuthenticationSession?

  /// Whether the user exists and is neither disabled nor locked.
  ///
  /// - Throws: anything; the request that needed it is answered with 503 and `temporarily_unavailable`.
  func isActive(userID: String) async throws -> Bool

  /// The scopes that the user need not be asked about for a client: consented before, or the operator's own decision.
  ///
  /// - Throws: anything; the request that needed it is answered with 503 and `temporarily_unavailable`.
  func grantedScopes(userID: String, clientID: String) async throws -> [String]

  /// `sub` of a user towards a client. The same for all clients, unless subjects are pairwise.
  ///
  /// - Throws: anything; the request that needed it is answered with 503 and `temporarily_unavailable`.
  func subject(userID: String, clientID: String) async throws -> String

  /// The user whom a client knows by a `sub`, or nil.
  ///
  /// - Throws: anything; the request that needed it is answered with 503 and `temporarily_unavailable`.
  func userID(subject: String, clientID: String) async throws -> String?

  /// The user's claims of these names, for ID tokens and the userinfo endpoint; what isn't known is left out.
  ///
  /// - Throws: anything; the request that needed it is answered with 503 and `temporarily_unavailable`.
  func claims(named names: [String], of userID: String) async throws -> JSONObject
}

extension SessionDirectory {
  /// Why a login has ended; nil if it goes on: its user is active, and so is its session, if it rests on one.
  ///
  /// - Parameter userID: empty for a login without a user.
  /// - Throws: what the directory throws.
  package func whyEnded(userID: String, sessionID: String?) async throws -> LogoutReason? {
    if !userID.isEmpty {
      guard try await isActive(userID: userID) else { return .userDisabled }
    }
    guard let sessionID else { return nil }
    return try await session(id: sessionID)?.isActive == true ? nil : .sessionEnded
  }

  /// Public subjects: the user's own name.
  ///
  /// - Throws: nothing.
  public func subject(userID: String, clientID: String) async throws -> String { userID }

  /// Public subjects: the user's own name.
  ///
  /// - Throws: nothing.
  public func userID(subject: String, clientID: String) async throws -> String? { subject }

  /// None: nothing is known of the user but `sub`.
  ///
  /// - Throws: nothing.
  public func claims(named names: [String], of userID: String) async throws -> JSONObject { [:] }
}
