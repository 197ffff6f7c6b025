import IdentityProvider
import JOSE
import PlatformSSOKit
import PureCrypto
import SQLStores

/// Answers all requests of Macs, independent of the HTTP framework.
struct MacEndpoint: Sendable {
  let settings: MacSettings
  let addresses: MacAddresses
  let secrets: MacSecrets
  /// The provider, for its users, keys and audit log.
  let host: Provider
  let attestation: AttestationPolicy?
  /// The tickets that browsers carry from one page to the next.
  let tickets: Ticket

  /// The provider's side of the protocol, for one request.
  func provider(source: SourceAddress) async throws -> IdentityProvider {
    try IdentityProvider(
      configuration: addresses.providerConfiguration(settings),
      serverNonces: ServerNonces(secret: SecretBytes(copying: secrets.nonces)),
      users: MacUsers(host: host, source: source),
      // Macs take ES256 and RS256; the former is quicker.
      idTokenKey: await host.keys.signingKey("ES256"), records: host.database.records, clock: host.clock)
  }

  /// Answers a request, and writes refusals to the audit log.
  func respond(to request: HTTPRequestValue, at path: String, source: SourceAddress) async -> HTTPResponseValue {
    do {
      let provider = try await provider(source: source)
      do {
        return switch path {
        case MacAddresses.registration: try await register(request, provider, source)
        case MacAddresses.userRegistration: try await registerUser(request, provider, source)
        default: try await provider.response(to: request, with: MacAnswers(endpoint: self, source: source))
        }
      } catch let error as JOSEError {
        // The description names the check that failed and the member, and repeats nothing that the Mac sent.
        await record("device.refused", nil, nil, source, detail: "\(error)")
        return provider.errorResponse(for: error)
      }
    } catch {
      await record("device.failed", nil, nil, source, detail: "\(type(of: error))")
      return .unavailable
    }
  }

  /// A Mac's keys. The profile's token says that an administrator knows the Mac, an attestation that the key is in a
  /// Secure Enclave, and in which one. A Mac that has lost its keys must be revoked before it can register again.
  private func register(
    _ request: HTTPRequestValue, _ provider: IdentityProvider, _ source: SourceAddress
  ) async throws -> HTTPResponseValue {
    let expected = Array(secrets.registrationToken.utf8)
    let policy = RegistrationPolicy(attestation: attestation) { registration in
      ConstantTime.equal(Array((registration.registrationToken ?? "").utf8), expected)
    }
    let device = try await provider.registerDevice(from: request, format: settings.registrationFormat, by: policy)
    await record(
      "device.registered", nil, device, source, detail: device.identity == .attested ? "attestation" : "token")
    return .json(["device_id": .string(device.id)], status: 201)
  }

  /// A user's Secure Enclave key, on a Mac where the user has logged in: the refresh token from there stands for an
  /// access token.
  private func registerUser(
    _ request: HTTPRequestValue, _ provider: IdentityProvider, _ source: SourceAddress
  ) async throws -> HTTPResponseValue {
    let login = try await provider.registerUser(
      from: request, format: settings.registrationFormat, attestedBy: attestation)
    await record("device.user.enrolled", login.userName, login.device, source)
    return .json([:], status: 201)
  }

  /// Writes a row of the audit log.
  func record(
    _ event: String, _ userName: String?, _ device: RegisteredDevice?, _ source: SourceAddress, detail: String? = nil
  ) async {
    var userID: String?
    if let userName { userID = try? await host.users.user(named: userName)?.id }
    let parts = [device.map { "key \($0.signingKey.keyID)" }, detail].compactMap { $0 }
    await host.audit.record(
      AuditLog.Event(
        event, user: userID, address: source, detail: parts.isEmpty ? nil : parts.joined(separator: ", ")))
  }
}
