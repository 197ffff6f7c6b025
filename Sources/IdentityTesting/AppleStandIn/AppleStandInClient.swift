import JOSE
import AppleSignInKit
import StrictJSON

/// An app or website that is registered with the stand-in.
public struct AppleStandInClient: Sendable {
  /// App ID or Services ID.
  public var clientID: String
  /// The developer's team.
  public var teamID: String
  /// The app group: users agree once for all its members. The client itself by default.
  public var group: String
  /// The registered return URLs. None for a native app.
  public var redirectURIs: [AppleRedirectURI]
  /// The team's keys for client secrets, each with its key identifier.
  public var secretKeys: [VerificationKey]

  /// A registered client.
  public init(
    clientID: String, teamID: String, group: String? = nil, redirectURIs: [AppleRedirectURI],
    secretKeys: [VerificationKey]
  ) {
    self.clientID = clientID
    self.teamID = teamID
    self.group = group ?? clientID
    self.redirectURIs = redirectURIs
    self.secretKeys = secretKeys
  }

  func consentKey(_ user: AppleStandInUser) -> [UInt8] { Array("\(group.utf8.count).\(group).\(user.id)".utf8) }
}
