import JOSE
import PureCrypto

/// How a client proves to a server who it is.
public enum ClientAuthentication: Sendable {
  /// Not at all: `client_id` only.
  case none
  /// With a secret in the form (`client_secret_post`).
  case secretInForm(String)
  /// With a secret in the `Authorization` field (`client_secret_basic`).
  case basic(String)
  /// With form fields that are made for each request, such as a signed assertion.
  case fields(@Sendable () async throws -> [(name: String, value: String)])

  /// With an assertion that is signed for each request (`private_key_jwt`).
  ///
  /// - Parameters:
  ///   - key: the client's; its public half is registered at the server.
  ///   - clientID: as the server knows the client.
  ///   - audience: the server's issuer identifier; with older servers the URL of the token endpoint.
  ///   - clock: dates the assertions, which are good for a minute.
  ///
  /// Source: OpenID Connect Core 1.0 §9, RFC 7523 §2.2.
  public static func privateKeyJWT(
    _ key: SigningKey, clientID: String, audience: String, clock: WallClock = .system
  ) -> ClientAuthentication {
    .fields {
      var claims = JWTClaims.clientAssertion(clientID: clientID, audience: audience)
      claims.clock = clock
      return [
        ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
        ("client_assertion", try JWT.sign(claims, with: key)),
      ]
    }
  }
}

extension ClientAuthentication: Redacted {}
