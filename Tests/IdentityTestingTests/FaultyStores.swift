import JOSE
import NativeSSOKit
import PlatformSSOKit
import AppleSignInKit
import StrictJSON
import OpenIDKit

/// What columns, files and drivers do to texts on their way in.
enum TextFault: CaseIterable, Sendable {
  case endsAtNUL, losesTrailingSpaces, foldsCase, normalizes, endsAtOtherPlanes

  func change(_ text: String) -> String {
    switch self {
    case .endsAtNUL: String(text.unicodeScalars.prefix { $0.value != 0 }.map(Character.init))
    case .losesTrailingSpaces: String(text.reversed().drop { $0 == " " }.reversed())
    case .foldsCase: text.lowercased()
    // Swift's == takes both forms for the same.
    case .normalizes: text == "\u{E9}" ? "\u{E9}" : text
    case .endsAtOtherPlanes: String(text.unicodeScalars.prefix { $0.value <= 0xFFFF }.map(Character.init))
    }
  }
}

/// Sign-ins under names that are changed.
struct ChangingSignInStore: ApplePendingSignInStore {
  let fault: TextFault
  private let inner = InMemoryApplePendingSignInStore(clock: .fixed(at: NumericDate(1_760_000_000)))

  init(_ fault: TextFault) { self.fault = fault }

  func insert(_ signIn: ApplePendingSignIn, handle: String) async throws -> Bool {
    try await inner.insert(signIn, handle: fault.change(handle))
  }

  func take(handle: String) async throws -> ApplePendingSignIn? { await inner.take(handle: fault.change(handle)) }
}

/// Proofs under names that are changed.
struct ChangingProofStore: DPoPReplayStore {
  let fault: TextFault
  private let inner = DPoPMemoryReplayStore()

  init(_ fault: TextFault) { self.fault = fault }

  func record(_ entry: DPoPReplayEntry, now: NumericDate) async -> DPoPReplayVerdict {
    var changed = entry
    changed.tokenID = fault.change(entry.tokenID)
    return await inner.record(changed, now: now)
  }
}

/// Nonces for bindings that are changed.
struct ChangingNonceStore: ServerNonceStore {
  let fault: TextFault
  private let inner = NonceTable()

  init(_ fault: TextFault) { self.fault = fault }

  func makeServerNonce(boundTo binding: String, at now: NumericDate) async -> String {
    await inner.makeServerNonce(boundTo: fault.change(binding), at: now)
  }

  func useServerNonce(_ nonce: String, boundTo binding: String, at now: NumericDate) async -> ServerNonceVerdict {
    await inner.useServerNonce(nonce, boundTo: fault.change(binding), at: now)
  }
}

/// Users and sessions under names that are changed.
struct ChangingSessionStore: SessionStore {
  let fault: TextFault
  private let inner = InMemorySessionDirectory()

  init(_ fault: TextFault) { self.fault = fault }

  func session(id: String) async throws -> AuthenticationSession? { await inner.session(id: id) }
  func isActive(userID: String) async throws -> Bool { await inner.isActive(userID: fault.change(userID)) }
  func grantedScopes(userID: String, clientID: String) async throws -> [String] {
    await inner.grantedScopes(userID: userID, clientID: clientID)
  }
  func add(_ session: AuthenticationSession) async throws { await inner.add(session) }
  func end(sessionID: String) async throws { await inner.end(sessionID: sessionID) }
  func addUser(_ userID: String) async throws { await inner.addUser(fault.change(userID)) }
  func disableUser(_ userID: String) async throws { await inner.disableUser(fault.change(userID)) }
  func grant(_ scopes: [String], userID: String, clientID: String) async throws {
    await inner.grant(scopes, userID: userID, clientID: clientID)
  }
}

/// Settings whose texts are changed.
actor ChangingSettingsStore: SettingsStore {
  private let fault: TextFault
  private var saved: JSONObject?

  init(_ fault: TextFault) { self.fault = fault }

  func load() -> JSONObject? { saved }

  func replace(expecting expected: JSONObject?, with override: JSONObject?) -> Bool {
    guard saved == expected.map(change) else { return false }
    saved = override.map(change)
    return true
  }

  private func change(_ object: JSONObject) -> JSONObject {
    var changed = object
    if let text = object["a"]?.stringValue { changed["a"] = .string(fault.change(text)) }
    return changed
  }
}

/// A limiter with a defect.
actor FaultyLimiter: RateLimiter {
  enum Defect: CaseIterable, Sendable {
    case joinsNames, forgetsBlockWhenClockGoesBack, countsInLastKeyOnly, allowsOneAlways
  }

  private let inner = InMemoryRateLimiter()
  private let defect: Defect
  private var last = -Double.infinity

  init(_ defect: Defect) { self.defect = defect }

  func attempt(_ keys: [RateLimitKey], limit: Int, blockDuration: Int, now: NumericDate) async -> RateLimitDecision {
    var (keys, limit, moment) = (keys, limit, now)
    switch defect {
    case .joinsNames:
      // Lower case, as a collation has it.
      keys = keys.map { .client($0.storageKey.lowercased(), source: "") }
    case .forgetsBlockWhenClockGoesBack:
      if now.secondsSince1970 < last { moment = now.advanced(by: 1000) }
      last = now.secondsSince1970
    case .countsInLastKeyOnly: keys = keys.suffix(1)
    case .allowsOneAlways: limit = max(limit, 1)
    }
    return await inner.attempt(keys, limit: limit, blockDuration: blockDuration, now: moment)
  }
}

/// Apple's notifications with a defect.
actor FaultyNotificationStore: AppleNotificationStore {
  enum Defect: CaseIterable, Sendable { case movesTimeBack, forgetsTimeWithName, namesOutdatedNot, comparesAsText }

  private let defect: Defect
  private var names: Set<[UInt8]> = []
  private var times: [[UInt8]: NumericDate] = [:]

  init(_ defect: Defect) { self.defect = defect }

  func verdict(on notification: AppleNotification, expiration: NumericDate) -> AppleNotificationVerdict {
    if names.contains(notification.identity) { return .duplicate }
    guard let topic = topic(of: notification), let last = times[topic] else { return .new }
    return notification.eventTime < last ? .outdated : .new
  }

  func record(_ notification: AppleNotification, expiration: NumericDate) async -> AppleNotificationVerdict {
    let verdict = verdict(on: notification, expiration: expiration)
    // Another record may come between.
    if defect == .movesTimeBack { for _ in 0..<5 { await Task.yield() } }
    guard verdict != .duplicate else { return verdict }
    if verdict == .new || defect != .namesOutdatedNot { names.insert(notification.identity) }
    if defect == .forgetsTimeWithName, expiration < NumericDate(1_760_000_000) { return verdict }
    if verdict == .new, let topic = topic(of: notification) { times[topic] = notification.eventTime }
    return verdict
  }

  private func topic(of notification: AppleNotification) -> [UInt8]? {
    guard defect == .comparesAsText, notification.topic != nil else { return notification.topic }
    return Array((notification.subject + " " + notification.audience).lowercased().utf8)
  }
}

/// Proofs that are forgotten the moment they have expired, by whatever clock.
actor ForgetfulProofStore: DPoPReplayStore {
  private var expiries: [[[UInt8]]: NumericDate] = [:]

  func record(_ entry: DPoPReplayEntry, now: NumericDate) -> DPoPReplayVerdict {
    expiries = expiries.filter { $0.value >= now }
    let name = [Array(entry.thumbprint.utf8), Array(entry.tokenID.utf8)]
    guard expiries[name] == nil else { return .seen }
    expiries[name] = entry.expiry
    return .new
  }
}

/// Nonces with a defect.
actor FaultyNonceStore: ServerNonceStore {
  enum Defect: CaseIterable, Sendable { case refusesTheFuture, forgetsUseWhenClockGoesBack }

  private let inner = NonceTable()
  private let defect: Defect
  private var madeAt: [String: NumericDate] = [:]
  private var usedAt: [String: NumericDate] = [:]

  init(_ defect: Defect) { self.defect = defect }

  func makeServerNonce(boundTo binding: String, at now: NumericDate) async -> String {
    let nonce = await inner.makeServerNonce(boundTo: binding, at: now)
    madeAt[nonce] = now
    return nonce
  }

  func useServerNonce(_ nonce: String, boundTo binding: String, at now: NumericDate) async -> ServerNonceVerdict {
    if defect == .refusesTheFuture, let date = madeAt[nonce], now < date { return .expired }
    let verdict = await inner.useServerNonce(nonce, boundTo: binding, at: now)
    if verdict == .accepted { usedAt[nonce] = now }
    if defect == .forgetsUseWhenClockGoesBack, verdict == .used, let date = usedAt[nonce], now < date {
      return .accepted
    }
    return verdict
  }
}

/// What must be used once only, named by a part of its octets.
actor ShortNameReplayStore: ReplayStore {
  private let part: Range<Int>
  private var names: Set<[UInt8]> = []

  init(_ part: Range<Int>) { self.part = part }

  func insert(_ entry: ReplayEntry) -> Bool { names.insert(Array(entry.digest[part])).inserted }
}

/// Remembers the sign-out beside the tokens, and loses it with them.
actor ForgetfulAppStore: AppTokenStore {
  private var isSuppressed = false

  func save(_ tokens: TokenSet) throws {
    if tokens.accessToken.utf8.contains(0) { throw TokenRefreshError(.storage, "the column ends at NUL") }
  }
  func clear() { isSuppressed = false }
  func suppressesAutomaticSignIn() -> Bool { isSuppressed }
  func setSuppressesAutomaticSignIn(_ suppresses: Bool) { isSuppressed = suppresses }
}

/// Pairs under an issuer's name in lower case, as files have it on some systems.
struct FoldingPairStore: SSOPairStore {
  private let inner = InMemorySSOPairStore()

  func read(issuer: String) async -> SSOPairEntry { await inner.read(issuer: issuer.lowercased()) }
  func replace(issuer: String, expecting generation: UInt64, with pair: SSOPair?) async -> Bool {
    await inner.replace(issuer: issuer.lowercased(), expecting: generation, with: pair)
  }
}
