import JOSEHTTP
import JOSE
import PlatformSSO

extension PSSOVerb {
  func nonceRequest(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(arguments, ["config"])
    let file = try DeviceFile(arguments, console: console)
    console.write(HTTPRecord.write(file.device.serverNonceRequest().httpRequest))
  }

  func loginRequest(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(arguments, ["config", "nonce-request", "tokens"])
    let file = try DeviceFile(arguments, console: console)
    let method = try file.loginMethod()
    let user = try file.requiredUser()
    let previous = try arguments["tokens"].map { path throws(CommandFailure) in try refreshToken(path) }
    let nonces = try nonces(file, arguments)
    let request = try attemptSSO { () throws(PlatformSSOError) in
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
    let request = try attemptSSO { () throws(PlatformSSOError) in
      try file.device.refreshRequest(refreshToken: token, nonces: nonces)
    }
    console.write(HTTPRecord.write(request.httpRequest))
  }

  func keyRequest(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try options(arguments, ["config", "nonce-request", "tokens"])
    let file = try DeviceFile(arguments, console: console)
    let token = try refreshToken(try arguments.required("tokens"))
    let user = try file.requiredUser()
    let nonces = try nonces(file, arguments)
    let request = try attemptSSO { () throws(PlatformSSOError) in
      try file.device.keyRequest(of: user, refreshToken: token, nonces: nonces)
    }
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
    let request = try attemptSSO { () throws(PlatformSSOError) in
      try file.device.keyExchangeRequest(
        of: user, refreshToken: token, otherPublicKey: otherKey.x963Representation, keyContext: keyContext,
        nonces: nonces)
    }
    console.write(HTTPRecord.write(request.httpRequest))
  }

  /// The nonces of a request: the server's from the response on standard input, the rest fresh. `client-request-id` is the one of the
  /// nonce request where that is given.
  private func nonces(_ file: DeviceFile, _ arguments: Arguments) throws(CommandFailure) -> RequestNonces {
    var nonceRequest = file.device.serverNonceRequest()
    if let path = arguments["nonce-request"] {
      nonceRequest = ServerNonceRequest(sent: try HTTPRecord.request(try console.readFile(path)))
    }
    let response = try HTTPRecord.response(try console.readInput())
    return try attemptSSO { () throws(PlatformSSOError) in
      try file.device.requestNonces(from: response, to: nonceRequest)
    }
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
    let bytes = try console.readFile(path)
    guard let object = try? JSONObject(parsing: bytes) else {
      throw .usage("the file \(path) is no strict JSON object")
    }
    return object
  }
}
