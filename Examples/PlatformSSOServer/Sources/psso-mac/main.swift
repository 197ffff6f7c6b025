import Foundation
import JOSE
import PlatformSSOKit
import PureCrypto

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A Mac that registers, logs the settings' first user in, stays logged in, and recovers a secret with the user's
/// unlock key.
struct SimulatedMac {
  /// The address that the provider listens at: `http://127.0.0.1:8080`. The settings have another one, because they
  /// assume a proxy with TLS in front of it.
  let address: String
  let device: PlatformSSODevice
  let user: UserLoginConfiguration
  let idTokenKeys: JWKSet

  func nonces() async throws -> RequestNonces {
    let request = device.serverNonceRequest()
    return try device.requestNonces(from: await send(request, to: address), to: request)
  }

  func logIn(by method: LoginMethod) async throws -> OpenedLoginResponse {
    let request = try device.loginRequest(of: user, by: method, nonces: await nonces())
    return try device.openLoginResponse(
      await send(request.httpRequest, to: address), to: request, idTokenKeys: idTokenKeys)
  }

  func refresh(_ refreshToken: String) async throws -> OpenedLoginResponse {
    let request = try device.refreshRequest(refreshToken: refreshToken, nonces: await nonces())
    return try device.openLoginResponse(
      await send(request.httpRequest, to: address), to: request, idTokenKeys: idTokenKeys)
  }

  func unlockKey(_ refreshToken: String) async throws -> KeyResponse {
    let request = try device.keyRequest(of: user, refreshToken: refreshToken, nonces: await nonces())
    return try device.openKeyResponse(await send(request.httpRequest, to: address), to: request)
  }

  func exchange(_ refreshToken: String, _ point: [UInt8], _ key: KeyResponse) async throws -> KeyExchangeResponse {
    let request = try device.keyRequest(
      of: user, refreshToken: refreshToken, otherPublicKey: point, keyContext: key.keyContext, nonces: await nonces())
    return try device.openKeyExchangeResponse(await send(request.httpRequest, to: address), to: request)
  }
}

/// Sends a request to the address, with the request's own path.
func send(_ request: HTTPRequestValue, to address: String) async throws -> HTTPResponseValue {
  guard let path = URLComponents(string: request.url)?.path, let url = URL(string: address + path) else {
    throw URLError(.badURL)
  }
  var message = URLRequest(url: url, timeoutInterval: 20)
  message.httpMethod = request.method
  for (name, value) in request.headers.fields { message.addValue(value, forHTTPHeaderField: name) }
  if !request.body.isEmpty { message.httpBody = Data(request.body) }
  let (body, response) = try await URLSession.shared.data(for: message)
  guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
  var headers = HTTPHeaderFields()
  for (name, value) in response.allHeaderFields {
    if let name = name as? String, let value = value as? String { try headers.append(name, value) }
  }
  return HTTPResponseValue(status: response.statusCode, headers: headers, body: Array(body))
}

struct Failure: Error { var reason: String }

func require(_ condition: Bool, _ reason: String) throws {
  guard condition else { throw Failure(reason: reason) }
}

guard (3...4).contains(CommandLine.arguments.count) else {
  FileHandle.standardError.write(Data("usage: psso-mac ADDRESS SETTINGS [FILE]\n".utf8))
  exit(2)
}
let address = CommandLine.arguments[1]
let settings = try JSONObject(parsing: Array(Data(contentsOf: URL(filePath: CommandLine.arguments[2]))))
func setting(_ name: String) throws -> String {
  guard let text = settings[name]?.stringValue else {
    throw Failure(reason: "the settings must have the member \(name)")
  }
  return text
}
guard let firstUser = settings["users"]?.arrayValue?.first?.objectValue, let name = firstUser["name"]?.stringValue,
  let password = firstUser["password"]?.stringValue, let subject = firstUser["subject"]?.stringValue
else { throw Failure(reason: "the settings must have a user with name, password and subject") }

// The extension registers the Mac's keys, with the token of the profile.
let base = try setting("baseURL")
let (signing, encryption) = (JWK.generate(.es256), JWK.generateForKeyAgreement())
let keys = try DeviceKeys(signingKey: SigningKey(signing), encryptionKey: DecryptionKey(encryption))
let registration = try DeviceRegistration(
  deviceID: UUID().uuidString, keys: keys, registrationToken: setting("registrationToken"))
var answer = try await send(registration.httpRequest(to: base + "/register"), to: address)
try require(answer.status == 201, "the registration was answered with \(answer.status)")
print("registered, \(registration.signingKey.keyID)")

// The configuration that the extension hands to macOS. From here on macOS sends the requests, without the extension.
var configuration = LoginConfiguration(
  clientID: try setting("clientID"), issuer: base, audience: try setting("audience"),
  tokenEndpointURL: base + "/psso/token", jwksEndpointURL: base + "/jwks")
configuration.nonceEndpointURL = base + "/psso/nonce"
configuration.refreshEndpointURL = base + "/psso/token"
configuration.keyEndpointURL = base + "/psso/key"
// A file for `jose psso` with this Mac's keys and the password, so only its owner may read it.
if CommandLine.arguments.count == 4 {
  let file: JSONObject = [
    "loginConfiguration": [
      "clientID": .string(configuration.clientID), "issuer": .string(base), "audience": .string(configuration.audience),
      "tokenEndpointURL": .string(base + "/psso/token"), "jwksEndpointURL": .string(base + "/jwks"),
      "nonceEndpointURL": .string(base + "/psso/nonce"), "keyEndpointURL": .string(base + "/psso/key"),
      "refreshEndpointURL": .string(base + "/psso/token"),
    ],
    "deviceSigningKey": .object(try JSONObject(parsing: signing.serializedWithPrivateKey())),
    "deviceEncryptionKey": .object(try JSONObject(parsing: encryption.serializedWithPrivateKey())),
    "user": ["loginUserName": .string(name)], "login": ["method": "password", "password": .string(password)],
  ]
  let octets = Data(file.serialized())
  let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
  try require(
    FileManager.default.createFile(atPath: CommandLine.arguments[3], contents: octets, attributes: attributes),
    "the file can't be written")
}
let jwks = try await send(HTTPRequestValue(method: "GET", url: base + "/jwks"), to: address)
let mac = SimulatedMac(
  address: address, device: PlatformSSODevice(configuration: configuration, keys: keys),
  user: UserLoginConfiguration(loginUserName: name), idTokenKeys: try JWKSet(parsing: jwks.body))

var login = try await mac.logIn(by: .password(password))
try require(login.uniqueIdentifier == subject, "another user was logged in")
print("logged in with a password, \(login.uniqueIdentifier)")

// The user's Secure Enclave key, which replaces the password from now on.
let userKey = try SigningKey.generate(.es256)
let enrolment = UserRegistration(
  userKey: try RegisteredKey(signingKey: userKey.verificationKey), accessToken: login.response.refreshToken)
answer = try await send(enrolment.httpRequest(to: base + "/register/user"), to: address)
try require(answer.status == 201, "the user's key was answered with \(answer.status)")
login = try await mac.logIn(by: .userSecureEnclaveKey(userKey))
print("logged in with a key")

login = try await mac.refresh(login.response.refreshToken)
print("refreshed")

let unlock = try await mac.unlockKey(login.response.refreshToken)
let other = P256AgreementPrivateKey()
let point = other.publicKey.x963Representation
let exchanged = try await mac.exchange(login.response.refreshToken, point, unlock)
let expected = try other.sharedSecret(
  with: P256AgreementPublicKey(x963Representation: unlock.publicKeyX963Representation))
try require(expected.isSame(as: exchanged.key), "the provider returned a different secret")
print("unlock key fetched and used")

// A wrong password must be refused.
do {
  _ = try await mac.logIn(by: .password(password + "x"))
  throw Failure(reason: "a wrong password was accepted")
} catch let error as JOSEError {
  try require(error.code == .credentialRejected, "a wrong password was refused as \(error.code)")
}
print("a wrong password is refused")
