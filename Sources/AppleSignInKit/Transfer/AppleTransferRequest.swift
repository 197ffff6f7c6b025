import PureCrypto
import JOSE
import StrictJSON

/// A message of the transfer of an app to another team: within 60 days, each user's name at the old team is exchanged
/// for the name at the new one.
///
/// The team that gives the app away asks for a `transfer_sub` for each user and hands the list over; the team that
/// takes it exchanges each `transfer_sub`. Identity tokens of these days carry it too, as
/// ``AppleIdentity/transferSubject``: look accounts up by `sub` first, then by `transfer_sub`.
///
/// Source: Apple, Transferring your apps and users to another team; Bringing new apps and users into your team.
public struct AppleTransferRequest: Sendable {
  /// What is asked for.
  enum Subject: Sendable {
    case leaving(String, forTeam: String)
    case arriving(String)
  }

  private let subject: Subject
  private let accessToken: String
  private let clientSecret: AppleClientSecret

  /// A request of the team that gives the app away.
  ///
  /// - Parameters:
  ///   - subject: the user's `sub` at this team.
  ///   - team: the Team ID of the team that takes the app.
  ///   - accessToken: from ``AppleTokenRequest/Grant/userMigration``.
  ///   - clientSecret: of the app, by the team that gives it away.
  /// - Throws: `ErrorCode.teamIDInvalid`, `ErrorCode.fieldInvalid` for an empty
  ///   subject or one that is too long.
  public init(
    leaving subject: String, forTeam team: String, accessToken: String, clientSecret: AppleClientSecret
  ) throws(SignInWithAppleError) {
    guard AppleClientID.isTeamShaped(team.utf8) else {
      throw SignInWithAppleError(.teamIDInvalid, "the Team ID is not 10 capitals and digits", name: "target")
    }
    try self.init(.leaving(Self.checked(subject, "sub"), forTeam: team), accessToken, clientSecret)
  }

  /// A request of the team that takes the app.
  ///
  /// - Parameters:
  ///   - transferSubject: `transfer_sub`, from the other team or from an identity token.
  ///   - accessToken: from ``AppleTokenRequest/Grant/userMigration``.
  ///   - clientSecret: of the app, by the team that takes it.
  /// - Throws: `ErrorCode.fieldInvalid` for an empty subject or one that is too long.
  public init(
    arriving transferSubject: String, accessToken: String, clientSecret: AppleClientSecret
  ) throws(SignInWithAppleError) {
    try self.init(.arriving(Self.checked(transferSubject, "transfer_sub")), accessToken, clientSecret)
  }

  private init(
    _ subject: Subject, _ accessToken: String, _ clientSecret: AppleClientSecret
  ) throws(SignInWithAppleError) {
    guard accessToken.isVisibleASCII(upTo: 4096) else {
      throw SignInWithAppleError(.fieldInvalid, "the access token is not a visible text", name: "access_token")
    }
    self.subject = subject
    self.accessToken = accessToken
    self.clientSecret = clientSecret
  }

  private static func checked(_ subject: String, _ name: String) throws(SignInWithAppleError) -> String {
    guard !subject.isEmpty, subject.utf8.count <= 255 else {
      throw SignInWithAppleError(.fieldInvalid, "the subject is empty or too long", name: name)
    }
    return subject
  }

  /// What to send.
  public func httpRequest(to service: AppleService = .apple) -> HTTPRequestValue {
    let what =
      switch subject {
      case .leaving(let subject, let team): [("sub", subject), ("target", team)]
      case .arriving(let subject): [("transfer_sub", subject)]
      }
    var request = FormBody.post(
      what + [("client_id", clientSecret.clientID), ("client_secret", clientSecret.value)],
      to: service.userMigrationURL)
    // Visible ASCII, which any field takes.
    try? request.headers.set("Authorization", "Bearer " + accessToken)
    return request
  }
}

extension AppleTransferRequest: Redacted {}

/// What the team that takes an app learns of a user.
public struct AppleTransferredUser: Sendable, Hashable {
  /// `sub`: the user's name at the new team.
  public let subject: String
  /// `email`: for the new team; a relay address is another one than at the old team.
  public let email: String?
  /// `is_private_email`: whether the address is a relay of Apple's. False if absent.
  public let isPrivateEmail: Bool

  /// Reads the answer to the team that takes the app.
  ///
  /// - Throws: `ErrorCode.serverRefused` with the error code as its name,
  ///   `ErrorCode.serverUnavailable`, `ErrorCode.malformed`,
  ///   `ErrorCode.fieldMissing`, `ErrorCode.fieldInvalid`.
  public static func receive(_ response: HTTPResponseValue) throws(SignInWithAppleError) -> AppleTransferredUser {
    let object = try AppleServerResponse.object(of: response)
    return AppleTransferredUser(
      subject: try object.transferSubject("sub"), email: try object.parameter("email", \.stringValue),
      isPrivateEmail: object["is_private_email"].flatMap(AppleBoolean.read) ?? false)
  }

  /// Reads the answer to the team that gives the app away: the `transfer_sub`.
  ///
  /// - Throws: as ``receive(_:)``.
  public static func receiveTransferSubject(_ response: HTTPResponseValue) throws(SignInWithAppleError) -> String {
    try AppleServerResponse.object(of: response).transferSubject("transfer_sub")
  }
}

extension AppleTransferredUser: Redacted {}

extension JSONObject {
  fileprivate func transferSubject(_ name: String) throws(SignInWithAppleError) -> String {
    guard let subject = try parameter(name, \.stringValue) else {
      throw SignInWithAppleError(.fieldMissing, "the answer lacks a member", name: name)
    }
    guard !subject.isEmpty, subject.utf8.count <= 255 else {
      throw SignInWithAppleError(.fieldInvalid, "the subject is empty or too long", name: name)
    }
    return subject
  }
}
