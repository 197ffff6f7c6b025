import JOSE
import NativeSSOKit
import StrictJSON

/// The tokens and secrets of the worked example. The signatures are deterministic ECDSA, so they can be checked and
/// made again.
enum WorkedExample {
  static let secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
  static let secondSecret = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8"

  static let keyJSON: JSONObject = [
    "kty": "EC", "crv": "P-256", "x": "BiOm8XFbz6QHbX1OEwLnB-PZSQEvb1QeFqNfvEQ-7Qk",
    "y": "uxkC7OSlNyAFlojzx073k9ZnlWBHxrR4ZpKaHsc3_gs", "kid": "nsso-test-1", "use": "sig", "alg": "ES256",
    "d": "o1W5fYNvaNYo1oUw5S5EOVhkD-R5pqOfP64evoE6BZU",
  ]

  /// The provider's private key.
  static var key: JWK {
    get throws { try JWK(keyJSON) }
  }

  /// App A's ID token.
  static let idToken =
    "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6Im5zc28tdGVzdC0xIn0.eyJpc3MiOiJodHRwczovL29wLm"
    + "V4YW1wbGUuY29tIiwic3ViIjoidXNlci03ZjNhIiwiYXVkIjoiYXBwLWEiLCJpYXQiOjE3NjAwMDAwMDAsImV4cCI6"
    + "MTc2MDAwMzYwMCwiYXV0aF90aW1lIjoxNzU5OTk5OTkwLCJub25jZSI6Im4tN2QxZiIsImF0X2hhc2giOiJ6WmFETz"
    + "JwUXd0UWJBanJhdTdFNm1RIiwic2lkIjoicy05MWMyIiwiZHNfaGFzaCI6IjZvWnFkWDVNT0xxX3FCSjh2cHBBblEi"
    + "fQ.AVmH6FUdb41_wOP2UCWmG3Nsj0Hyl_tTBpqsCBRXZ1x0TYgNHqUNg6Poq1r5Y5UFt2lath0LKvpFIr6rnQf1Jw"

  /// The ID token that App B got in exchange.
  static let exchangedIDToken =
    "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6Im5zc28tdGVzdC0xIn0.eyJpc3MiOiJodHRwczovL29wLm"
    + "V4YW1wbGUuY29tIiwic3ViIjoidXNlci03ZjNhIiwiYXVkIjoiYXBwLWIiLCJpYXQiOjE3NjAwMTAwMDAsImV4cCI6"
    + "MTc2MDAxMzYwMCwiYXV0aF90aW1lIjoxNzU5OTk5OTkwLCJhdF9oYXNoIjoiTU11ckg5WVhzalFzbjNZNkotaDVDQS"
    + "IsInNpZCI6InMtOTFjMiIsImRzX2hhc2giOiI2b1pxZFg1TU9McV9xQko4dnBwQW5RIn0.9pMf3GcuT68uH9AVR18p"
    + "NZOw_74mf7sQJjeGqsrMBqcRSFgjksLQ3uOW3izObb61_KTFHtPEXEFHgkI45YczFw"

  /// The claims of App A's ID token.
  static let idTokenClaims: JSONObject = [
    "iss": "https://op.example.com", "sub": "user-7f3a", "aud": "app-a", "iat": 1760000000, "exp": 1760003600,
    "auth_time": 1759999990, "nonce": "n-7d1f", "at_hash": "zZaDO2pQwtQbAjrau7E6mQ", "sid": "s-91c2",
    "ds_hash": "6oZqdX5MOLq_qBJ8vppAnQ",
  ]

  /// App A's ID token with claims replaced, or removed with nil, and signed by some key.
  static func idToken(
    _ changes: [(String, JSONValue?)], key: SigningKey? = nil, type: String? = "JWT"
  ) throws -> String {
    var claims = idTokenClaims
    for (name, value) in changes { claims[name] = value }
    return try JWT.sign(claims, with: key ?? SigningKey(WorkedExample.key), type: type)
  }
}
