import JOSE
import OpenIDKit
import PureCrypto
import StrictJSON

/// Transfers the users of an app to another team, or takes them from one.
///
/// ```swift
/// let client = AppleTransferClient(clientID: "com.example.app", signer: signer, transport: send)
/// for user in users {
///   user.transferSubject = try await client.transferSubject(of: user.appleID, forTeam: "NEWTEAM123")
/// }
/// ```
///
/// Within 60 days, the team that gives the app away asks for a `transfer_sub` for each user and hands the list over;
/// the team that takes it exchanges each one. Identity tokens of these days carry it too, as
/// ``AppleIdentity/transferSubject``: look accounts up by `sub` first, then by `transfer_sub`. One access token serves
/// for an hour and for many users. Apple limits how fast it may be asked.
///
/// Source: Apple, Transferring your apps and users to another team; Bringing new apps and users into your team.
public actor AppleTransferClient {
  private let endpoint: AppleTokenEndpoint
  private let clock: WallClock
  private var accessToken: (value: String, expiration: NumericDate)?

  /// A client.
  ///
  /// - Parameters:
  ///   - clientID: the app that is transferred.
  ///   - signer: of the team that asks: the one that gives the app away, or the one that takes it.
  ///   - transport: sends a request and returns the response, without following redirects.
  public init(clientID: String, signer: AppleClientSecretSigner, transport: @escaping HTTPTransport) {
    endpoint = AppleTokenEndpoint(clientID: clientID, signer: signer, transport: transport)
    clock = signer.clock
  }

  /// The name under which a user goes over to another team. For the team that gives the app away.
  ///
  /// - Throws: `ErrorCode.teamIDInvalid`, `ErrorCode.fieldInvalid` for an empty subject or one that is too long;
  ///   `ErrorCode.serverRefused` with the error code as its name, `ErrorCode.serverUnavailable`; `ErrorCode.malformed`,
  ///   `ErrorCode.fieldMissing` and `ErrorCode.claimInvalid` for the answer.
  public func transferSubject(of subject: String, forTeam team: String) async throws(JOSEError) -> String {
    guard AppleClientID.isTeamShaped(team.utf8) else {
      throw JOSEError(.teamIDInvalid, "the Team ID is not 10 capitals and digits", name: "target")
    }
    return try Self.subject(
      await ask(["sub": try Self.checked(subject, "sub"), "target": team]), "transfer_sub")
  }

  /// The user of a `transfer_sub`. For the team that takes the app.
  ///
  /// - Throws: as ``transferSubject(of:forTeam:)``, but for the team.
  public func user(transferSubject: String) async throws(JOSEError) -> AppleTransferredUser {
    let answer = try await ask(["transfer_sub": try Self.checked(transferSubject, "transfer_sub")])
    return AppleTransferredUser(
      subject: try Self.subject(answer, "sub"), email: try answer.optionalClaim("email", \.stringValue),
      isPrivateEmail: answer["is_private_email"].flatMap(AppleBoolean.read) ?? false)
  }

  private func ask(_ fields: FormFields) async throws(JOSEError) -> JSONObject {
    let url = endpoint.service.userMigrationURL
    var response = try await endpoint.send(fields, to: url, accessToken: await token())
    if response.status == 401 {
      // The token has ended before its time: the next user gets another.
      accessToken = nil
      response = try await endpoint.send(fields, to: url, accessToken: await token())
    }
    try OAuthAnswer.requireAnswer(response)
    guard let object = try? JSONObject(parsing: response.body, limits: OAuthAnswer.limits) else {
      throw JOSEError(.malformed, "the answer is not a JSON object")
    }
    return object
  }

  private func token() async throws(JOSEError) -> String {
    let now = clock.now
    // One minute before its end it may not reach Apple in time.
    if let accessToken, now < accessToken.expiration.advanced(by: -60) { return accessToken.value }
    let tokens = try await endpoint.tokens(for: .userMigration)
    accessToken = (tokens.accessToken, now.advanced(by: min(tokens.expiresIn ?? .zero, .seconds(86_400))))
    return tokens.accessToken
  }

  private static func subject(_ answer: JSONObject, _ name: String) throws(JOSEError) -> String {
    guard let subject = try answer.optionalClaim(name, \.stringValue) else { throw .missingMember(name) }
    return try checked(subject, name)
  }

  private static func checked(_ subject: String, _ name: String) throws(JOSEError) -> String {
    guard !subject.isEmpty, subject.utf8.count <= 255 else {
      throw JOSEError(.fieldInvalid, "the subject is empty or too long", name: name)
    }
    return subject
  }
}

extension AppleTransferClient: Redacted {
  /// The type's name. No token.
  public nonisolated var description: String { "AppleTransferClient" }
}

/// What the team that takes an app learns of a user.
public struct AppleTransferredUser: Sendable, Hashable {
  /// `sub`: the user's name at the new team.
  public let subject: String
  /// `email`: for the new team; a relay address is another one than at the old team.
  public let email: String?
  /// `is_private_email`: whether the address is a relay of Apple's. False if absent.
  public let isPrivateEmail: Bool
}

extension AppleTransferredUser: Redacted {}
