import JOSE
import Testing

/// One reader of `Authorization` for all who take a token there.
@Suite struct AuthorizationCredentialsTests {
  @Test(arguments: [
    ("Bearer abc", "Bearer", "abc"), ("bearer   a.b-c_d~e+f/g==", "BEARER", "a.b-c_d~e+f/g=="), ("DPoP x", "dpop", "x"),
    ("Basic Og==", "basic", "Og=="),
  ])
  func `a scheme, spaces, and one token`(_ field: String, _ scheme: String, _ token: String) throws {
    let credentials = try #require(AuthorizationCredentials(field))
    #expect(credentials.hasScheme(scheme) && credentials.token == token)
    #expect(AuthorizationCredentials.isScheme(scheme, of: field))
    #expect(!credentials.hasScheme(scheme + "x") && !credentials.hasScheme(""))
    #expect(!"\(credentials)".contains(token))
  }

  @Test(arguments: [
    "", " ", "Bearer", "Bearer ", " Bearer abc", "Bearer abc ", "Bearer a b", "Bearer\tabc", "Bearer abc\t",
    "Bearer \tabc", "Bearer abc, DPoP def", "Bearer ab\u{E9}", "Bearer\u{A0}abc", "Bearer a\u{0}b",
  ])
  func `an Authorization field of another form gives no credentials`(_ field: String) {
    #expect(AuthorizationCredentials(field) == nil)
  }

  /// U+212A, the sign of kelvin, is `k` to `lowercased()`.
  @Test func `only ASCII letters have cases`() throws {
    let credentials = try #require(AuthorizationCredentials("to\u{212A}en abc"))
    #expect(!credentials.hasScheme("token") && !AuthorizationCredentials.isScheme("token", of: "to\u{212A}en abc"))
    #expect(AuthorizationCredentials.isScheme("Bearer", of: "bearer a b"))
  }
}
