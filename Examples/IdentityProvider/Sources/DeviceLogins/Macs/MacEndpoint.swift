import GRDBStores
import IdentityProvider
import JOSE
import PlatformSSOKit
import PureCrypto

/// Everything that Macs are answered, whatever carries the requests.
struct MacEndpoint: Sendable {
  let settings: MacSettings
  let addresses: MacAddresses
  let database: ProviderDatabase
  let secrets: MacSecrets
  let host: DeviceHost
  let attestation: AttestationPolicy?
  let pages: BrowserLogins

  /// The provider's side of the protocol, for one request.
  func provider(source: SourceAddress) async throws -> IdentityProvider {
    try IdentityProvider(
      configuration: addresses.providerConfiguration(settings),
      serverNonces: ServerNonces(secret: SecretBytes(copying: secrets.nonces)),
      users: MacUsers(host: host, source: source), idTokenKey: await host.signingKey(), records: database.records,
      clock: host.clock)
  }

  /// Answers a request, and leaves a row in the audit log of what was refused.
  func respond(to request: HTTPRequestValue, source: SourceAddress) async -> HTTPResponseValue {
    do {
      let provider = try await provider(source: source)
      do {
        return try await answer(request, provider, source)
      } catch let error as JOSEError {
        // The description has the check that failed and the member, and nothing that the Mac sent.
        await host.record("device.refused", source: source, detail: "\(error)")
        return provider.errorResponse(for: error)
      }
    } catch {
      await host.record("device.failed", source: source, detail: "\(type(of: error))")
      return HTTPResponseValue(status: 503)
    }
  }

  private func answer(
    _ request: HTTPRequestValue, _ provider: IdentityProvider, _ source: SourceAddress
  ) async throws -> HTTPResponseValue {
    switch request.path {
    case MacAddresses.registration: try await register(request, provider, source)
    case MacAddresses.userRegistration: try await registerUser(request, provider, source)
    default: try await provider.response(to: request, with: MacAnswers(endpoint: self, source: source))
    }
  }

  func record(
    _ name: String, _ userName: String?, _ device: RegisteredDevice, _ source: SourceAddress, detail: String? = nil
  ) async {
    await host.record(name, userName: userName, device: device, source: source, detail: detail)
  }
}

extension HTTPRequestValue {
  /// The path, whether the address is whole or not.
  var path: String {
    let address = url.prefix { $0 != "?" }
    guard let scheme = address.firstRange(of: "://") else { return String(address) }
    return String(address[scheme.upperBound...].drop { $0 != "/" })
  }
}

extension HTTPResponseValue {
  static func json(_ body: JSONObject, status: Int = 200) -> HTTPResponseValue {
    var response = HTTPResponseValue(status: status, body: body.serialized())
    try? response.headers.append("Content-Type", "application/json")
    try? response.headers.append("Cache-Control", "no-store")
    return response
  }
}
