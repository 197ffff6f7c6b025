import JOSE
import PlatformSSOKit

extension PSSOVerb {
  func nonceRequest(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(arguments, ["config"])
    try arguments.requireNoOperands()
    let file = try DeviceFile(arguments, console: console)
    console.write(HTTPRecord.write(file.device.serverNonceRequest()))
  }

  func loginRequest(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(arguments, ["config", "nonce-request", "tokens"])
    let file = try DeviceFile(arguments, console: console)
    let method = try file.loginMethod()
    let user = try file.requiredUser()
    let previous = try arguments["tokens"].map { path throws(CommandFailure) in try refreshToken(path) }
    let nonces = try nonces(file, arguments)
    let request = try attempt {
      try file.device.loginRequest(
        of: user, by: method, nonces: nonces, previousRefreshToken: previous, groups: file.groups)
    }
    console.write(HTTPRecord.write(request.httpRequest))
  }

  func refreshRequest(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(arguments, ["config", "nonce-request", "tokens"])
    let file = try DeviceFile(arguments, console: console)
    let token = try refreshToken(try arguments.required("tokens"))
    let nonces = try nonces(file, arguments)
    let request = try attempt { try file.device.refreshRequest(refreshToken: token, nonces: nonces) }
    console.write(HTTPRecord.write(request.httpRequest))
  }

  func keyRequest(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(arguments, ["config", "nonce-request", "tokens"])
    let file = try DeviceFile(arguments, console: console)
    let token = try refreshToken(try arguments.required("tokens"))
    let user = try file.requiredUser()
    let nonces = try nonces(file, arguments)
    let request = try attempt { try file.device.keyRequest(of: user, refreshToken: token, nonces: nonces) }
    console.write(HTTPRecord.write(request.httpRequest))
  }

  func keyExchangeRequest(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(arguments, ["config", "nonce-request", "tokens", "key-response"])
    let file = try DeviceFile(arguments, console: console)
    let token = try refreshToken(try arguments.required("tokens"))
    let user = try file.requiredUser()
    guard let otherKey = file.otherKey else { throw .usage("otherKey is missing in the configuration") }
    var keyContext: String?
    if let path = arguments["key-response"] { keyContext = try opened(path)["key_context"]?.stringValue }
    let nonces = try nonces(file, arguments)
    let request = try attempt {
      try file.device.keyRequest(
        of: user, refreshToken: token, otherPublicKey: otherKey.x963Representation, keyContext: keyContext,
        nonces: nonces)
    }
    console.write(HTTPRecord.write(request.httpRequest))
  }

  /// The nonces of a request: the server's from the response on standard input, the rest fresh. `client-request-id` is
  /// the one of the nonce request where that is given.
  private func nonces(_ file: DeviceFile, _ arguments: Arguments) throws(CommandFailure) -> RequestNonces {
    var nonceRequest = file.device.serverNonceRequest()
    if let path = arguments["nonce-request"] {
      nonceRequest = try HTTPRecord.request(try console.file(path, upTo: .file))
    }
    let response = try HTTPRecord.response(try console.input(of: arguments))
    return try attempt { try file.device.requestNonces(from: response, to: nonceRequest) }
  }

  /// The refresh token in what `open-response` wrote.
  private func refreshToken(_ path: String) throws(CommandFailure) -> String {
    guard let token = try opened(path)["refresh_token"]?.stringValue else {
      throw .usage("the file of --tokens has no refresh_token; it is what open-response writes for a login")
    }
    return token
  }

  /// What `open-response` wrote to a file.
  private func opened(_ path: String) throws(CommandFailure) -> JSONObject {
    let bytes = try console.readTextFile(path)
    guard let object = try? JSONObject(parsing: bytes) else {
      throw .usage("the file \(Visible.argument(path)) is not a strict JSON object")
    }
    return object
  }
}

extension PSSOVerb {
  func openResponse(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(arguments, ["config", "request"])
    let file = try DeviceFile(arguments, console: console)
    let sent = try HTTPRecord.request(try console.file(try arguments.required("request"), upTo: .file))
    let response = try HTTPRecord.response(try console.input(of: arguments))
    console.write(Visible.lines(try opened(response, to: sent, file)))
  }

  private func opened(
    _ response: HTTPResponseValue, to sent: HTTPRequestValue, _ file: DeviceFile
  ) throws(CommandFailure) -> JSONObject {
    let device = file.device
    if sent.method == "GET" { return try Self.members(preauthentication(response, device), response) }
    if (try? sent.form(acceptsDuplicates: true))?.values("grant_type") == ["srv_challenge"] {
      let nonces = try attempt { try device.requestNonces(from: response, to: sent) }
      return ["message": "serverNonce", "nonce": .string(nonces.serverNonce)]
    }
    let request = try attempt { try device.sentRequest(sent) }
    switch request.message {
    case .login, .refresh:
      guard let keys = file.identityProviderKeys else {
        throw .usage("identityProviderKeys is missing in the configuration: the id_token can't be verified")
      }
      let opened = try attempt { try device.openLoginResponse(response, to: request, idTokenKeys: keys) }
      return Self.members(opened, message: request.message == .login ? "login" : "refresh")
    case .key:
      let opened = try attempt { try device.openKeyResponse(response, to: request) }
      return Self.members(
        [
          ("message", "key"), ("certificate", .string(Base64.encode(opened.certificate))),
          ("public_key", .string(Base64.encode(opened.publicKeyX963Representation))),
        ], keyContext: opened.keyContext, additional: opened.additional)
    case .keyExchange:
      let opened = try attempt { try device.openKeyExchangeResponse(response, to: request) }
      let key = Base64.encode(opened.key)
      return Self.members(
        [("message", "keyExchange"), ("key", .string(key))], keyContext: opened.keyContext,
        additional: opened.additional)
    }
  }

  /// How a user logs in, and all that the response says.
  private static func members(
    _ found: WebAuthorizationEndpoint?, _ response: HTTPResponseValue
  ) throws(CommandFailure) -> JSONObject {
    var object: JSONObject = ["message": "preauthentication", "federated": .bool(found != nil)]
    if let found { object["authorization_url"] = .string(found.url) }
    object["response"] = (try? JSONObject(parsing: response.body)).map { .object($0) }
    return object
  }

  /// Tokens under the names that the response has, and what the check of the `id_token` found.
  private static func members(_ opened: OpenedLoginResponse, message: JSONValue) -> JSONObject {
    let response = opened.response
    var object: JSONObject = [
      "message": message, "unique_identifier": .string(opened.uniqueIdentifier),
      "id_token_claims": .object(opened.idToken.claims), "id_token": .string(response.idToken),
      "refresh_token": .string(response.refreshToken),
    ]
    if let seconds = response.refreshTokenExpiresIn?.wholeSeconds {
      object["refresh_token_expires_in"] = .number(JSONNumber(seconds))
    }
    if let seconds = response.expiresIn?.wholeSeconds { object["expires_in"] = .number(JSONNumber(seconds)) }
    if let type = response.tokenType { object["token_type"] = .string(type) }
    if !opened.kerberosTickets.isEmpty {
      object["kerberos_tickets"] = .array(opened.kerberosTickets.map { .object(members($0)) })
    }
    object["header"] = .object(opened.header.parameters)
    return adding(response.additional, to: object)
  }

  private static func members(_ ticket: KerberosTicket) -> JSONObject {
    [
      "ticket_key_path": .string(ticket.mapping.ticketKeyPath),
      "message_buffer": .string(Base64.encode(ticket.messageBuffer)), "realm": .string(ticket.realm),
      "service_name": .string(ticket.serviceName), "client_name": .string(ticket.clientName),
      "encryption_key_type": .number(JSONNumber(ticket.encryptionKeyType)), "session_key": .string(ticket.sessionKey),
    ]
  }

  private static func members(
    _ members: [(String, JSONValue)], keyContext: String?, additional: JSONObject
  ) -> JSONObject {
    var object = JSONObject(members)
    if let keyContext { object["key_context"] = .string(keyContext) }
    return adding(additional, to: object)
  }

  /// Every other member of the response under its own name; one that has the name of a finding, under `response.` and
  /// that name.
  private static func adding(_ additional: JSONObject, to members: JSONObject) -> JSONObject {
    var object = members
    for (name, value) in additional.members { object[object[name] == nil ? name : "response.\(name)"] = value }
    return object
  }
}
