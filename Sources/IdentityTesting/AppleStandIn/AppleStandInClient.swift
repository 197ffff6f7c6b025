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

  /// Whether this is its identifier, compared as bytes.
  func isCalled(_ clientID: String) -> Bool { WireName(self.clientID) == clientID }

  /// Whether this is its developer's team, compared as bytes.
  func isOf(team: String) -> Bool { WireName(teamID) == team }

  func consentKey(_ user: AppleStandInUser) -> [UInt8] { Array("\(group.utf8.count).\(group).\(user.id)".utf8) }
}
