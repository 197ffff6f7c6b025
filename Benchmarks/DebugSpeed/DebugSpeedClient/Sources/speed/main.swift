import JOSE
import PureCrypto
import StrictJSON

/// What a login leaves in a token.
struct Claims: Codable, Sendable {
  var iss = "https://idp.example.com"
  var aud = "https://api.example.com"
  var sub = "5b1f8c3e"
  var iat = NumericDate(1_767_225_600)
  var exp = NumericDate(2_000_000_000)
  var email = "jane@example.com"
  var groups = ["staff", "admin"]
}

let stopwatch = Stopwatch(once: CommandLine.arguments.contains("--once"))
let megabyte = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
let sixteenKilobytes = Array(megabyte.prefix(16 << 10))

let curveKey = P256SigningKey()
let digest = SHA2.SHA256.hash(megabyte.prefix(300))
let signature = curveKey.signature(forDigest: digest)
try await stopwatch.measure("p256.sign") { curveKey.signature(forDigest: digest) }
try await stopwatch.measure("p256.verify") { curveKey.publicKey.isValidSignature(signature, forDigest: digest) }
try await stopwatch.measure("sha256.16k") { SHA2.SHA256.hash(sixteenKilobytes) }
let cipher = try AESGCM(key: sixteenKilobytes.prefix(32))
try await stopwatch.measure("aes256gcm.seal.16k") { try cipher.seal(sixteenKilobytes) }
let text = Base64URL.encode(megabyte)
try await stopwatch.measure("base64url.encode.1m") { Base64URL.encode(megabyte) }
try await stopwatch.measure("base64url.decode.1m") { try Base64URL.decode(text) }

for (name, algorithm) in [("hs256", SignatureAlgorithm.hs256), ("es256", .es256)] {
  let key = try SigningKey.generate(algorithm)
  let claims = Claims()
  let token = try JWT.sign(claims, with: key)
  let verifier = JWTVerifier(key: key.verificationKey, issuer: claims.iss, audience: claims.aud)
  try await stopwatch.measure("jwt.\(name).sign") { try JWT.sign(claims, with: key) }
  try await stopwatch.measure("jwt.\(name).verify") { try verifier.verify(token, as: Claims.self) }
}

let recipient = try DecryptionKey.generateForKeyAgreement()
try await stopwatch.measure("jwe.encrypt.1m") {
  try JWE.encrypt(megabyte, to: recipient.encryptionKey, contentEncryption: .a256gcm)
}

// 100 KB of members, texts, numbers and lists.
let document = Array(
  ("{"
    + (0..<1_000).map {
      #""member\#($0)":{"text":"some text, \#($0)","number":\#($0).5,"list":[true,null,\#($0)],"more":"\u00e4\u00f6"}"#
    }
    .joined(separator: ",") + "}").utf8)
try await stopwatch.measure("json.parse.100k") { try JSONValue(parsing: document) }

let login = try await PlatformSSOLogin()
try await stopwatch.measure("psso.login-request.validate") { try await login.validate() }
