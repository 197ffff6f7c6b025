import Foundation
import JOSE
import NativeSSOKit
import OpenIDKit
import StrictJSON

extension NativeSSOAdminAPI {
  /// A page of a user's device secrets, the newest first, and their numbers by state.
  func list(_ userID: String, _ target: AdminTarget) async throws(AdminError) -> JSONObject {
    let now = provider.clock.now
    let limit = min(max(try target.number("limit") ?? 50, 1), 100)
    let offset = try target.number("offset") ?? 0
    let all = try await serving { try await provider.deviceSecrets(userID: userID) }
    let listed = target.flag("include_revoked") ? all : all.filter { $0.revocation == nil }
    let page = listed.dropFirst(offset).prefix(limit)
    func count(_ state: DeviceSecretRecord.State) -> JSONValue {
      .number(JSONNumber(all.count { $0.state(at: now) == state }))
    }
    return [
      "items": .array(page.map { .object(item($0, now)) }),
      "pagination": [
        "total": .number(JSONNumber(listed.count)), "limit": .number(JSONNumber(limit)),
        "offset": .number(JSONNumber(offset)),
        // The offset comes from the caller: it is compared, and never added to, so that it can't overflow.
        "has_more": .bool(listed.count - min(offset, listed.count) > limit),
      ],
      "summary": [
        "total": .number(JSONNumber(all.count)), "active": count(.active), "revoked": count(.revoked),
        "expired": count(.expired),
      ],
    ]
  }

  /// One device secret.
  func describe(_ id: String) async throws(AdminError) -> JSONObject {
    guard let record = try await serving({ try await provider.deviceSecret(id: id) }) else { throw .notFound }
    return item(record, provider.clock.now)
  }

  /// Revokes one.
  func revoke(_ id: String, reason: LogoutReason?) async throws(AdminError) -> JSONObject {
    let (now, reason) = (provider.clock.now, reason ?? LogoutReason("admin_revocation"))
    switch try await serving({ try await provider.revokeDeviceSecret(id: id, reason: reason) }) {
    case .unknown: throw .notFound
    case .alreadyRevoked: throw .alreadyRevoked
    case .revoked:
      return [
        "success": true, "id": .string(id), "revoked_at": .string(Self.text(now)),
        "reason": .string(reason.description),
      ]
    }
  }

  /// Revokes all device secrets of a user.
  func revokeAll(_ userID: String, reason: LogoutReason?) async throws(AdminError) -> JSONObject {
    let (now, reason) = (provider.clock.now, reason ?? LogoutReason("admin_bulk_revocation"))
    let count = try await serving { try await provider.revokeDeviceSecrets(userID: userID, reason: reason) }
    return [
      "success": true, "user_id": .string(userID), "revoked_count": .number(JSONNumber(count)),
      "revoked_at": .string(Self.text(now)), "reason": .string(reason.description),
    ]
  }

  /// Removes expired device secrets a minute late, in case a clock is set back, and revoked ones once no audit needs
  /// them.
  func removeStale() async throws(AdminError) -> JSONObject {
    let now = provider.clock.now
    let count = try await serving {
      try await provider.records.removeExpired(before: now.advanced(by: .seconds(-60)), limit: 10_000)
    }
    return [
      "success": true, "cleaned_count": .number(JSONNumber(count)), "cleaned_at": .string(Self.text(now)),
    ]
  }

  private func item(_ record: DeviceSecretRecord, _ now: NumericDate) -> JSONObject {
    var item: JSONObject = [
      "id": .string(record.id), "user_id": .string(record.userID),
      "session_id": .string(record.sessionIDs.last ?? ""),
    ]
    if let name = record.deviceName { item["device_name"] = .string(name) }
    if let platform = record.devicePlatform { item["device_platform"] = .string(platform) }
    item["created_at"] = .string(Self.text(record.createdAt))
    item["expires_at"] = .string(Self.text(record.expiresAt))
    if let date = record.lastUsedAt { item["last_used_at"] = .string(Self.text(date)) }
    item["use_count"] = .number(JSONNumber(record.useCount))
    item["is_active"] = .bool(record.state(at: now) == .active)
    if let revocation = record.revocation {
      item["revoked_at"] = .string(Self.text(revocation.date))
      item["revoke_reason"] = .string(revocation.reason.description)
    }
    return item
  }

  /// A date in UTC with milliseconds: `2025-10-09T08:53:20.000Z`.
  private static func text(_ date: NumericDate) -> String {
    Date(timeIntervalSince1970: date.secondsSince1970).ISO8601Format(.init(includingFractionalSeconds: true))
  }
}
