import JOSE

/// Keys that several suites use. The first is RFC 7515 Appendix A.3, the second Bob of RFC 7518 Appendix C.
enum TestKeys {
  static let es256 = """
    {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
    "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}
    """
  static let ecdhES = """
    {"kty":"EC","crv":"P-256","x":"weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ",\
    "y":"e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck","d":"VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw"}
    """
  static let octets32 = #"{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"}"#

  static func signing(keyID: String? = nil) throws -> SigningKey {
    var jwk = try JWK(parsing: es256)
    jwk.keyID = keyID
    return try SigningKey(jwk, algorithm: .es256)
  }

  static func decryption() throws -> DecryptionKey {
    try DecryptionKey(JWK(parsing: ecdhES), algorithm: .ecdhES)
  }

  static func hmac() throws -> SigningKey {
    try SigningKey(JWK(parsing: octets32), algorithm: .hs256)
  }
}

/// The code of the JOSEError that `body` throws, or nil if it throws none.
func code(_ body: () throws -> Void) -> ErrorCode? {
  do {
    try body()
    return nil
  } catch {
    return (error as? JOSEError)?.code
  }
}

/// Code and name of the JOSEError that `body` throws, as text.
func refusal(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "accepted"
  } catch let error as JOSEError {
    return error.name.map { "\(error.code)(\($0))" } ?? "\(error.code)"
  } catch {
    return "another error"
  }
}

/// `token` with one bit of its last segment turned over: the segment's text replaced by a fixed one would now and then
/// be the same.
func withAnotherTag(_ token: String) throws -> String {
  var segments = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  var octets = try Base64URL.decode(segments[segments.count - 1])
  octets[0] ^= 1
  segments[segments.count - 1] = Base64URL.encode(octets)
  return segments.joined(separator: ".")
}
