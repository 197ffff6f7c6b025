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

/// Remembers the sign-out beside the tokens, and loses it with them.
actor ForgetfulAppStore: AppTokenStore {
  private var isSuppressed = false

  func save(_ tokens: TokenSet) throws {
    if tokens.accessToken.utf8.contains(0) { throw TokenRefreshError(.storeUnavailable, "the column ends at NUL") }
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
