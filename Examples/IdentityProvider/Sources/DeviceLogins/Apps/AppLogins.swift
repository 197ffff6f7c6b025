import HTTPTypes
import Hummingbird
import IdentityProvider
import JOSE
import JOSEHummingbird
import NativeSSOAdministration
import NativeSSOKit
import OpenIDKit
import SQLStores

/// Apps of one maker that share a login on a device, by device secrets: with the provider's own users, sessions,
/// clients and keys.
struct AppLogins: Sendable {
  /// The provider before this part was added to it.
  let provider: Provider
  /// The settings that administrators have changed are records of the provider.
  private let settings: SettingsResolver

  init(provider: Provider) throws {
    self.provider = provider
    settings = try SettingsResolver(
      fixed: ["enabled": true], records: provider.database.records, cacheLifetime: .seconds(5),
      clock: provider.clock)
  }

  /// Turns device secrets on for the clients that may have them, and writes every decision to the audit log.
  func adjust(_ openID: inout OpenIDProvider) {
    openID.native = NativeSSO(settings: settings) { [audit = provider.audit] event in
      await audit.record(
        AuditLog.Event(
          "native.\(event.kind.rawValue)", user: event.userID, client: event.clientID, detail: event.check))
    }
  }

  func openID() async throws -> OpenIDProvider {
    var openID = try await provider.openID()
    adjust(&openID)
    return openID
  }

  // MARK: Administration

  /// Adds the administration of Native SSO: settings and device secrets, for logged-in administrators.
  func addRoutes(to router: Router<ProviderContext>) {
    for method in [HTTPRequest.Method.get, .put, .post, .delete] {
      router.on("/api/admin/**", method: method) { request, context in
        let login = try await provider.mustAdminister(request)
        let value = try await HTTPRequestValue(request)
        if method != .get {
          await provider.audit.record(
            .init(
              "admin.native", user: login.user.id, address: provider.settings.source(of: request, context),
              detail: "\(method.rawValue) \(request.uri.path)"))
        }
        return Response(await NativeSSOAdminAPI(provider: try await openID()).respond(to: value))
      }
    }
  }

  // MARK: Devices

  private static let prefix = "app."

  /// The devices with a device secret: one user's, or all.
  func devices(of userID: String?) async throws -> [ProviderDevice] {
    let userIDs = if let userID { [userID] } else { try await provider.users.users(limit: .max).map(\.id) }
    var devices: [ProviderDevice] = []
    let openID = try await openID()
    for id in userIDs {
      for record in try await openID.deviceSecrets(userID: id) {
        let isActive = record.state(at: provider.clock.now) == .active
        devices.append(
          ProviderDevice(
            id: Self.prefix + record.id, kind: "Native SSO", name: record.deviceName ?? "Apps of \(record.clientID)",
            userID: id, registeredAt: record.createdAt, lastUsedAt: record.lastUsedAt, isActive: isActive))
      }
    }
    return devices.filter { userID == nil || $0.isActive }
  }

  /// Revokes a device secret, and the refresh tokens that were issued with it.
  func revokeDevice(_ id: String, of userID: String?) async throws -> Bool {
    guard id.hasPrefix(Self.prefix) else { return false }
    let openID = try await openID()
    guard let record = try await openID.deviceSecret(id: String(id.dropFirst(Self.prefix.count))),
      userID.map({ $0.utf8.elementsEqual(record.userID.utf8) }) ?? true
    else { return false }
    return try await openID.revokeDeviceSecret(
      id: record.id, reason: userID == nil ? .administrator : LogoutReason("by the user")) == .revoked
  }
}
