import JOSE
import PureCrypto

/// The devices that wait for their users, in a provider's records.
struct WaitingDevices: Sendable {
  let records: any RecordStore
  let clock: WallClock

  /// How many devices of one client wait at a time: a public client's name is enough to ask for a code, and anybody
  /// could fill the store with it.
  private static let quota = 10_000
  /// How long a device is still told that its code has expired, and not that there never was one.
  private static let retention = 3600.0

  /// Keeps a device, and returns its codes.
  ///
  /// - Throws: `ErrorCode.temporarilyUnavailable` if too many of its client wait; what the store throws.
  func add(_ device: WaitingDevice) async throws -> (deviceCode: String, userCode: UserCode) {
    let index = StoredRecord.Index("client", Array(device.clientID.text.utf8))
    // Of 20⁸ user codes a few are taken.
    for _ in 0..<64 {
      let (deviceCode, userCode) = (AuthorizationCodeText.make(), UserCode(.system))
      let record = StoredRecord(
        kind: WaitingDevice.kind, key: AuthorizationCodeText.hash(of: deviceCode), indexes: [userCode.index, index],
        createdAt: clock.now, expiresAt: device.expiration.advanced(by: Self.retention), document: device.document,
        attempt: SystemRandom.bytes(count: 16))
      let quota = RecordQuota(index, limit: Self.quota, now: clock.now.advanced(by: Self.retention))
      switch try await records.settle([.insert(record, atMost: quota)]) {
      case .done: return (deviceCode, userCode)
      case .refused(change: _, .indexTaken): continue
      case .refused: throw OpenIDError(.temporarilyUnavailable, "the client has too many devices waiting")
      }
    }
    throw OpenIDError(.storeUnavailable, "the store refused fresh names")
  }

  /// The device that shows a code, with its key, as long as it waits.
  ///
  /// - Throws: what the store throws; `ErrorCode.recordMalformed`.
  func device(showing code: UserCode) async throws -> (key: [UInt8], device: WaitingDevice)? {
    guard let record = try await records.records(WaitingDevice.kind, where: code.index, limit: 1).first else {
      return nil
    }
    let device = try WaitingDevice(record.document)
    return waits(device) ? (record.key, device) : nil
  }

  /// Notes what a user has said of a device, in one commit with other changes. False if it doesn't wait, or nothing is
  /// to be noted.
  ///
  /// - Parameter answer: what was said, and what is written with it; nil for nothing. It is asked again if the device
  ///   has asked meanwhile.
  /// - Throws: what the store and `answer` throw.
  func answer(
    _ key: [UInt8], _ answer: (WaitingDevice) async throws -> (WaitingDevice.Answer, [RecordChange])?
  ) async throws -> Bool {
    var isNoted = false
    let outcome = try await update(key) { device in
      isNoted = false
      guard waits(device), let (said, changes) = try await answer(device) else { return [] }
      device.answer = said
      isNoted = true
      return changes
    }
    return isNoted && outcome == .done
  }

  /// Returns if a device's user has agreed.
  ///
  /// - Throws: what the device is told otherwise: `authorization_pending`, `slow_down`, `access_denied`,
  ///   `expired_token`, `invalid_grant`; 503 if the store can't be asked.
  func requireAgreement(_ deviceCode: String, by client: AuthenticatedClient) async throws(OAuthErrorResponse) {
    let key = AuthorizationCodeText.hash(of: deviceCode)
    var refusal: OAuthErrorResponse? = OAuthErrorResponse(.invalidGrant, "The device code is not valid")
    _ = try await OAuthErrorResponse.askingStore {
      try await update(key) { device in
        guard device.isAsking(client) else { return [] }
        refusal = nil
        if clock.now >= device.expiration {
          refusal = OAuthErrorResponse(.expiredToken, "The device code has expired")
        } else if device.answer == .refused {
          refusal = OAuthErrorResponse(.accessDenied, "The user has refused")
        } else if device.answer == .none {
          refusal =
            device.ask(at: clock.now)
            ? OAuthErrorResponse(.authorizationPending, "The user has not answered yet")
            : OAuthErrorResponse(.slowDown, "The device must ask less often")
        }
        return []
      }
    }
    if let refusal { throw refusal }
  }

  private func waits(_ device: WaitingDevice) -> Bool { device.answer == .none && clock.now < device.expiration }

  /// Changes a device, in one commit with other changes; nothing is written if it stays as it is. Without a device
  /// nothing happens.
  private func update(
    _ key: [UInt8], _ change: (inout WaitingDevice) async throws -> [RecordChange]
  ) async throws -> RecordCommit {
    try await records.update(WaitingDevice.kind, key: key) { known in
      guard var next = known else { return [] }
      var device = try WaitingDevice(next.document)
      let changes = try await change(&device)
      (next.document, next.attempt) = (device.document, SystemRandom.bytes(count: 16))
      return next.document == known?.document ? [] : [.replace(next)] + changes
    }
  }
}
