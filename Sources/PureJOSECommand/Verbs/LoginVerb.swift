import JOSE
import OpenIDKit
import PureCrypto
import StrictJSON

/// A login at an OpenID provider from a terminal: `jose login`.
struct LoginVerb {
  let console: Console

  static let usage = """
    jose login --device --issuer URL --client-id ID [--client-secret-file FILE] [--scope S] [--resource U] [--cacert FILE] [--plain-http]
               [--output FILE]
      Logs in a user who answers on another device (RFC 8628): says on standard error where to go and which code to type there, and waits.
      Then it writes the answer of the provider's token endpoint, a JSON object with the tokens, once the ID token has been verified by the
      keys that the provider publishes. ID is registered there for devices; FILE holds its secret, if it has one, in the first line. openid
      is added to the scopes. --cacert and --plain-http as with jose jwt verify. A file that --output names must not be there yet; only you
      may read it.
      Example  jose login --device --issuer https://login.example.com --client-id cli --output tokens.json

    """

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(
      arguments, options: ["issuer", "client-id", "client-secret-file", "scope", "resource", "cacert", "output"],
      flags: ["device", "plain-http"])
    try arguments.requireNoOperands()
    guard arguments.has("device") else { throw .usage("login needs --device: there is no other way yet") }
    let issuer = try arguments.required("issuer")
    let clientID = try arguments.required("client-id")
    let curl = try arguments.curl(to: issuer)
    var authentication = ClientAuthentication.none
    if let path = arguments["client-secret-file"] {
      let secret = try console.readTextFile(path).prefix { $0 != 0x0A && $0 != 0x0D }
      authentication = .basic(String(decoding: secret, as: UTF8.self))
    }
    let (scopes, resource) = (arguments["scope"]?.split(separator: " ").map(String.init) ?? [], arguments["resource"])
    let transport = console.transport ?? { try await curl.answer($0) }
    let tokens = try waiting { [authentication] () async throws(CommandFailure) -> JSONObject in
      do throws(OpenIDError) {
        let provider = try await OpenIDProviderMetadata.discover(
          issuer, plainHTTP: curl.plainHTTP, transport: transport)
        let client = try OpenIDClient(
          clientID: clientID, provider: provider, algorithms: SignatureAlgorithm.asymmetric, scopes: scopes,
          authentication: authentication, clock: console.clock, transport: transport)
        return try await client.logInDevice(resource: resource) { show($0) }.tokens.jsonObject
      } catch {
        throw .invalid("\(error)")
      }
    }
    try arguments.write(tokens.serialized() + [0x0A], console)
  }

  private func show(_ codes: DeviceAuthorization) {
    console.writeError("Open \(Visible.text(codes.verificationURI)) and type the code \(Visible.text(codes.userCode))")
    if let address = codes.verificationURIComplete {
      console.writeError("or open \(Visible.text(address)) and compare the code")
    }
  }
}
