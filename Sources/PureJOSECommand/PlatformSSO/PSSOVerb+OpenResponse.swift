import JOSEHTTP
import JOSE
import PlatformSSO

extension PSSOVerb {
  func openResponse(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(arguments, ["config", "request"])
    let file = try DeviceFile(arguments, console: console)
    let sent = try HTTPRecord.request(try console.readFile(try arguments.required("request")))
    let response = try HTTPRecord.response(try console.readInput())
    console.write(try opened(response, to: sent, file).serialized(options: .pretty) + [0x0A])
  }

  private func opened(
    _ response: HTTPResponseValue, to sent: HTTPRequestValue, _ file: DeviceFile
  ) throws(CommandFailure) -> JSONObject {
    let device = file.device
    if (try? sent.form(duplicates: .kept))?.values("grant_type") == ["srv_challenge"] {
      let nonces = try attemptSSO { () throws(PlatformSSOError) in
        try device.requestNonces(from: response, to: ServerNonceRequest(sent: sent))
      }
      return ["message": "serverNonce", "nonce": .string(nonces.serverNonce)]
    }
    let request = try attemptSSO { () throws(PlatformSSOError) in try device.sentRequest(sent) }
    switch request.message {
    case .login, .refresh:
      guard let keys = file.identityProviderKeys else {
        throw .usage("identityProviderKeys is missing in the configuration: the id_token can't be verified")
      }
      let opened = try attemptSSO { () throws(PlatformSSOError) in
        try device.openLoginResponse(response, to: request, idTokenKeys: keys)
      }
      return Self.members(opened, message: request.message == .login ? "login" : "refresh")
    case .key:
      let opened = try attemptSSO { () throws(PlatformSSOError) in
        try device.openKeyResponse(response, to: request)
      }
      return Self.members(
        [
          ("message", "key"), ("certificate", .string(Base64.encode(opened.certificate))),
          ("public_key", .string(Base64.encode(opened.publicKeyX963Representation))),
        ], keyContext: opened.keyContext)
    case .keyExchange:
      let opened = try attemptSSO { () throws(PlatformSSOError) in
        try device.openKeyExchangeResponse(response, to: request)
      }
      let key = opened.key.withUnsafeBytes { Base64.encode($0) }
      return Self.members([("message", "keyExchange"), ("key", .string(key))], keyContext: opened.keyContext)
    }
  }

  /// Tokens under the names that the response has, and what the check of the `id_token` found.
  private static func members(_ opened: OpenedLoginResponse, message: JSONValue) -> JSONObject {
    let response = opened.response
    var object: JSONObject = [
      "message": message, "unique_identifier": .string(opened.idToken.uniqueIdentifier),
      "id_token_claims": .object(opened.idToken.claims), "id_token": .string(response.idToken),
      "refresh_token": .string(response.refreshToken),
    ]
    if let seconds = response.refreshTokenExpiresIn {
      object["refresh_token_expires_in"] = .number(JSONNumber(seconds))
    }
    if let seconds = response.expiresIn { object["expires_in"] = .number(JSONNumber(seconds)) }
    if let type = response.tokenType { object["token_type"] = .string(type) }
    return object
  }

  private static func members(_ members: [(String, JSONValue)], keyContext: String?) -> JSONObject {
    var object = JSONObject(members)
    if let keyContext { object["key_context"] = .string(keyContext) }
    return object
  }
}
