import JOSE
import StrictJSON

/// Makes client secrets: JWTs that the developer signs to prove to Apple who is asking.
///
/// ```swift
/// let signer = try AppleClientSecretSigner(p8: fileContents, teamID: "TEAM123456", keyID: "ABC123DEFG")
/// let secret = try signer.clientSecret(for: "com.example.web")
/// ```
///
/// The key belongs on a server, never in an app.
///
/// Source: Apple, Creating a client secret.
public struct AppleClientSecretSigner: Sendable {
  /// The longest lifetime that Apple accepts, in seconds: six months.
  package static let maximumLifetime = 15_777_000.0

  /// The developer's team.
  public let teamID: String
  /// The key's name at Apple.
  public let keyID: String
  /// Whom the secrets are for.
  public let service: AppleService
  /// Where "now" comes from.
  public let clock: WallClock
  private let key: SigningKey

  /// A signer with the contents of the `.p8` file that Apple lets developers download once.
  ///
  /// - Throws: `ErrorCode.keyMismatch`, `ErrorCode.teamIDInvalid`,
  ///   `ErrorCode.keyIDInvalid`.
  public init(
    p8 text: String, teamID: String, keyID: String, service: AppleService = .apple, clock: WallClock = .system
  ) throws(JOSEError) {
    guard let key = try? SigningKey(pemRepresentation: text, algorithm: .es256, keyID: keyID) else {
      throw JOSEError(
        .keyMismatch, "the text must be a .p8 file with a private key on P-256", fault: .callerMisuse)
    }
    try self.init(key: key, teamID: teamID, keyID: keyID, service: service, clock: clock)
  }

  /// A signer with a key that may live elsewhere; see `ExternalSigner`.
  ///
  /// - Throws: as ``init(p8:teamID:keyID:service:clock:)``.
  public init(
    key: SigningKey, teamID: String, keyID: String, service: AppleService = .apple, clock: WallClock = .system
  ) throws(JOSEError) {
    guard key.algorithm == .es256 else {
      throw JOSEError(
        .keyMismatch, "client secrets are signed with ES256, by the key on P-256 of a .p8 file", fault: .callerMisuse)
    }
    guard AppleClientID.isTeamShaped(teamID.utf8) else {
      throw JOSEError(.teamIDInvalid, "the Team ID is not 10 capitals and digits")
    }
    guard AppleClientID.isTeamShaped(keyID.utf8) else {
      throw JOSEError(.keyIDInvalid, "the key identifier is not 10 capitals and digits")
    }
    (self.key, self.teamID, self.keyID, self.service, self.clock) = (key, teamID, keyID, service, clock)
  }

  /// A client secret.
  ///
  /// It is dated 5 seconds back, because Apple refuses one that was made in the future by its own clock.
  /// - Parameters:
  ///   - clientID: the App ID or Services ID that the secret is good for, and no other.
  ///   - lifetime: seconds, at most ``maximumLifetime``.
  /// - Throws: `ErrorCode.lifetimeInvalid`, `ErrorCode.clientIDInvalid`,
  ///   `ErrorCode.clientIDInvalid`, `ErrorCode.externalKeyFailed`.
  package func clientSecret(for clientID: String, lifetime: Double = 300) throws(JOSEError)
    -> AppleClientSecret
  {
    try AppleClientID.requireValid(clientID, teamID: teamID)
    guard lifetime >= 1, lifetime <= Self.maximumLifetime else {
      throw JOSEError(.lifetimeInvalid, "a client secret lives 1 to 15 777 000 seconds, six months")
    }
    let issuedAt = clock.now.wholeSeconds - 5
    let expiration = issuedAt + Int(lifetime)
    let claims: JSONObject = [
      "iss": .string(teamID), "iat": .number(JSONNumber(issuedAt)), "exp": .number(JSONNumber(expiration)),
      "aud": .string(service.issuer), "sub": .string(clientID),
    ]
    let token = try JWT.sign(claims, with: key, type: nil, header: HeaderParameters(keyID: keyID))
    return AppleClientSecret(
      value: token, clientID: clientID, issuedAt: NumericDate(issuedAt), expiration: NumericDate(expiration))
  }
}
