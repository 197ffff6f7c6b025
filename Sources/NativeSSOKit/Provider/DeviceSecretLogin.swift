import JOSE
import PureCrypto
import OpenIDKit

/// The device secret of a login: whether one is due, and which.
struct DeviceSecretLogin: Sendable {
  let native: NativeSSO
  let provider: OpenIDProvider
  let settings: NativeSSOSettings
  let login: AcceptedLogin

  /// A device secret that goes with the answer.
  struct Held {
    let secret: DeviceSecret
    let id: String
    /// Whether this request has put it into the records by a commit of its own.
    var isStoredNow = false
  }

  private var grant: AcceptedGrant { login.grant }
  private var session: AuthenticationSession { login.session }
  private var now: NumericDate { login.now }
  private var store: DeviceSecretRecords { provider.deviceSecretRecords }
  /// `device_secret` of the token request, as it came.
  private var presentedSecret: String? { grant.form.values("device_secret").first }
  /// The record of the device secret that the refresh token came with.
  private var formerID: String? { grant.renewed?.grant.deviceSecretID }

  private var isDue: Bool {
    guard settings.enabled, login.client.nativeSSOEnabled else { return false }
    guard native.policy.requiresDeviceSSOScope else { return grant.kind == .authorizationCode }
    return grant.scopes.contains(Scope.deviceSSO) && grant.scopes.contains(Scope.openID)
  }

  /// The secret that was presented, if it serves and is this user's; otherwise a new one, if there is room.
  func secret() async throws(OAuthErrorResponse) -> Held? {
    guard isDue else { return nil }
    if let text = presentedSecret, let presented = try? DeviceSecret(text), let id = try await keep(presented) {
      return Held(secret: presented, id: id)
    }
    // The device's secret was revoked, and its tokens are about to end: a refresh between the two brings no new one.
    if grant.kind == .refreshToken, let former = formerID,
      let reason = try await OAuthErrorResponse.askingStore({ try await store.revocationReason(of: former) }),
      reason != .tooManyDeviceSecrets, reason != .useCountExceeded
    {
      await audit(.deviceSecretWithheld)
      return nil
    }
    let (secret, device) = (DeviceSecret.random(), native.describeDevice(grant.form))
    var record = DeviceSecretRecord(
      id: UUIDText.random().asciiLowercased, fingerprint: secret.fingerprint, userID: session.userID,
      sessionID: session.id, clientID: login.client.id, deviceName: device.name, devicePlatform: device.platform,
      createdAt: now, expiresAt: now.advanced(by: settings.deviceSecretLifetime))
    record.follow(try await formerRecords())
    let (limit, overflow) = (settings.maxDeviceSecretsPerUser, settings.maxSecretsBehavior)
    let issued = record
    let held = try await OAuthErrorResponse.askingStore { () -> Held? in
      // In one commit with the use of its code, if that is in the same records.
      guard let code = grant.code, try await code.isKept(in: provider.records) else {
        guard try await store.insert(issued, limit: limit, overflow: overflow, now: now) != .rejected else {
          return nil
        }
        await audit(.deviceSecretIssued, issued.id)
        return Held(secret: secret, id: issued.id, isStoredNow: true)
      }
      let made = try await store.changes(inserting: issued, limit: limit, overflow: overflow, now: now)
      guard let changes = made?.changes else { return nil }
      code.commitAlso(changes, making: issued.id) {
        await audit(.deviceSecretIssued, issued.id)
        try await requireLasting()
      }
      return Held(secret: secret, id: issued.id)
    }
    if let held { return held }
    await audit(.deviceSecretWithheld)
    return nil
  }

  /// Attaches the new session to a presented secret that goes on serving, and returns its record's name. One in its
  /// last seconds after a rotation does not: the login that follows would lose it.
  private func keep(_ presented: DeviceSecret) async throws(OAuthErrorResponse) -> String? {
    let fingerprint = presented.fingerprint
    guard
      let record = try await OAuthErrorResponse.askingStore({
        try await store.record(fingerprint: fingerprint, now: now)
      }),
      record.fingerprint == fingerprint, record.state(at: now) == .active,
      WireName(record.userID) == session.userID,
      settings.maxUseCountPerSecret.map({ record.useCount < $0 }) ?? true,
      try await OAuthErrorResponse.askingStore({
        var former: [String] = []
        if let id = formerID, WireName(id) != record.id {
          former = record.formerIDs.contains(WireName(id)) ? [id] : try await store.line(of: id)
        }
        // In one commit with the use of its code, if that is in the same records: a secret that is revoked just before
        // gives nothing.
        guard let code = grant.code, try await code.isKept(in: provider.records) else {
          return try await store.attach(sessionID: session.id, to: record.id, following: former, now: now)
        }
        let changes = try await store.changes(attaching: session.id, to: record.id, following: former, now: now)
        guard let changes else { return false }
        code.commitAlso(changes) { try await requireLasting() }
        return true
      })
    else { return nil }
    return record.id
  }

  /// The records that the device had before: those of the session, or of a refresh that with which its tokens came, and
  /// that of the secret which it presents and which serves no more. Sibling apps have their tokens from them, and a
  /// logout on the device ends these.
  private func formerRecords() async throws(OAuthErrorResponse) -> [String] {
    try await OAuthErrorResponse.askingStore {
      var ids =
        if let former = formerID {
          try await store.line(of: former)
        } else {
          try await store.line(ofSession: session.id, userID: session.userID)
        }
      if let text = presentedSecret, let fingerprint = (try? DeviceSecret(text))?.fingerprint,
        let known = try await store.anyRecord(fingerprint: fingerprint), WireName(known.userID) == session.userID
      {
        ids += known.formerIDs + [known.id]
      }
      return ids
    }
  }

  /// Requires that session and user are there still, once a code has been used up for them.
  private func requireLasting() async throws {
    do throws(OAuthErrorResponse) {
      guard try await provider.isLasting(session) else {
        throw OAuthErrorResponse(.invalidGrant, "The session is over")
      }
    } catch  where error.code != .invalidGrant {
      throw OpenIDError(.storeUnavailable, "the session could not be looked up")
    }
  }

  private func audit(_ kind: AuditEvent.Kind, _ id: String? = nil) async {
    await native.audit(
      AuditEvent(
        kind, clientID: login.client.id, userID: session.userID, sessionID: session.id, deviceSecretID: id))
  }
}
