import PureCrypto
import AppleSignInKit

/// A user with an account at the stand-in.
public struct AppleStandInUser: Sendable, Hashable {
  /// The account's name at the stand-in; apps never see it.
  public var id: String
  /// The given name that the user shares.
  public var givenName: String
  /// The family name that the user shares.
  public var familyName: String
  /// The real address.
  public var email: String
  /// Whether the user shares a relay address instead of the real one.
  public var hidesEmail: Bool

  /// A user who signs in at the stand-in.
  public init(id: String, givenName: String, familyName: String, email: String, hidesEmail: Bool = true) {
    (self.id, self.givenName, self.familyName, self.email) = (id, givenName, familyName, email)
    self.hidesEmail = hidesEmail
  }

  /// `sub`: the same for all apps of a team, different for each team, in the shape that Apple uses.
  public func subject(teamID: String) -> String {
    let digest = SHA2.SHA256.hash("\(teamID.utf8.count).\(teamID).\(id)".utf8)
    let hex = Array("0123456789abcdef".utf8)
    let middle = digest.prefix(16).flatMap { [hex[Int($0 >> 4)], hex[Int($0 & 15)]] }
    return "000000." + String(decoding: middle, as: UTF8.self) + ".0001"
  }

  /// The address that apps of a team see.
  func sharedAddress(teamID: String, isRelay: Bool) -> String {
    guard isRelay else { return email }
    let name = subject(teamID: teamID).utf8.dropFirst(7).prefix(10)
    return String(Substring(name)) + "@privaterelay.appleid.com"
  }
}
