import JOSE
import OpenIDKit

/// Every user is active and every session lasts: for tests and measurements of refresh tokens alone. A provider asks
/// `SessionRecords`, or its own user management.
public struct EndlessSessions: SessionDirectory {
  private let look: @Sendable (_ userID: String) throws -> Bool

  /// - Parameter isActive: whether a user is active after all.
  public init(isActive: @escaping @Sendable (_ userID: String) throws -> Bool = { _ in true }) { look = isActive }

  /// A session of no user.
  public func session(id: String) -> AuthenticationSession? {
    AuthenticationSession(id: id, userID: "", authenticatedAt: NumericDate(0))
  }

  /// What the closure says.
  ///
  /// - Throws: what the closure throws.
  public func isActive(userID: String) throws -> Bool { try look(userID) }

  /// None: the user is asked about everything.
  public func grantedScopes(userID: String, clientID: String) -> [String] { [] }
}
