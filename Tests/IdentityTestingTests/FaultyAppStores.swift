import JOSE
import NativeSSOKit
import StrictJSON

/// Pairs kept with a defect.
actor FaultyPairStore: SSOPairStore {
  enum Defect: Equatable, Sendable {
    case forgetsDeletions, writesBlindly, deletesBlindly, countsWritesOnly, foldsIssuers, deletesAll, keepsMembers
    case dropsExpired, keepsFew, startsAtOne, looksAtThePast, losesTheLast, answersWhenCutOff, mixes, changes(TextFault)

    static let all: [Defect] =
      [
        .forgetsDeletions, .writesBlindly, .deletesBlindly, .countsWritesOnly, .foldsIssuers, .deletesAll,
        .keepsMembers, .dropsExpired, .keepsFew, .startsAtOne, .looksAtThePast, .losesTheLast, .answersWhenCutOff,
        .mixes,
      ] + TextFault.allCases.map { .changes($0) }
  }

  private let defect: Defect
  private var entries: [[UInt8]: SSOPairEntry] = [:]
  /// As they were before the last change: what somebody sees who looks too early.
  private var past: [[UInt8]: SSOPairEntry] = [:]

  init(_ defect: Defect) { self.defect = defect }

  func read(issuer: String) async -> SSOPairEntry {
    let entry = entries[name(issuer)] ?? unknown
    guard let pair = entry.pair else { return entry }
    if defect == .dropsExpired, pair.idTokenExpiration < pair.idTokenIssuedAt.advanced(by: 60) {
      return SSOPairEntry(generation: entry.generation, pair: nil)
    }
    guard defect == .mixes, let former = past[name(issuer)]?.pair else { return entry }
    return SSOPairEntry(
      generation: entry.generation, pair: pair.with(writer: pair.writer, subject: former.subject))
  }

  private var unknown: SSOPairEntry { defect == .startsAtOne ? SSOPairEntry(generation: 1, pair: nil) : .empty }

  func replace(issuer: String, expecting generation: UInt64, with pair: SSOPair?) async -> Bool {
    if defect == .answersWhenCutOff {
      for _ in 0..<50 {
        if Task.isCancelled { return true }
        await Task.yield()
      }
    }
    let name = name(issuer)
    let entry = (defect == .looksAtThePast ? past : entries)[name] ?? unknown
    let isBlind = defect == .writesBlindly || defect == .deletesBlindly && pair == nil
    guard isBlind || entry.generation == generation else { return false }
    if defect == .losesTheLast { entries = past }
    past = entries
    if defect == .keepsFew, entries.count >= 50 { entries.removeAll() }
    if pair == nil, defect == .deletesAll { entries.removeAll() }
    switch (pair, defect) {
    case (nil, .forgetsDeletions): entries[name] = nil
    case (nil, .countsWritesOnly): entries[name] = SSOPairEntry(generation: entry.generation, pair: nil)
    case (let pair?, .keepsMembers):
      entries[name] = entry.next(pair.sessionID == nil ? entry.pair ?? pair : pair)
    case (let pair?, .changes(let fault)):
      entries[name] = entry.next(
        pair.with(writer: fault.change(pair.writer), subject: fault.change(pair.subject)))
    default: entries[name] = entry.next(pair)
    }
    return true
  }

  private func name(_ issuer: String) -> [UInt8] {
    Array((defect == .foldsIssuers ? issuer.lowercased() : issuer).utf8)
  }
}

extension SSOPair {
  /// The pair with other names.
  fileprivate func with(writer: String, subject: String) -> SSOPair? {
    let entry = SSOPairEntry(generation: 0, pair: self)
    guard var document = try? JSONObject(parsing: entry.serialized) else { return nil }
    document["writer"] = .string(writer)
    document["sub"] = .string(subject)
    return try? SSOPairEntry(parsing: document.serialized()).pair
  }
}

/// An app's tokens kept with a defect.
actor FaultyAppStore: AppTokenStore {
  enum Defect: Equatable, Sendable {
    case forgetsAll, mergesMembers, clearsTokensOnly, neverClears, clearsOnce, dropsExpired, sortsScopes
    case clearsOnSignOut, forgetsSignOut, remembersSignOutOnly, togglesSignOut, inventsTokens
    case answersWhenCutOff, refusesNothing, failsAfterTen, changes(TextFault)

    static let all: [Defect] =
      [
        .forgetsAll, .mergesMembers, .clearsTokensOnly, .neverClears, .clearsOnce, .dropsExpired, .sortsScopes,
        .clearsOnSignOut, .forgetsSignOut, .remembersSignOutOnly, .togglesSignOut, .inventsTokens, .answersWhenCutOff,
        .refusesNothing, .failsAfterTen,
      ] + TextFault.allCases.map { .changes($0) }
  }

  struct Busy: Error {}

  private let defect: Defect
  private var kept: TokenSet?
  private var isSuppressed = false
  private var clearCount = 0
  private var changes = 0

  init(_ defect: Defect) {
    self.defect = defect
    if defect == .inventsTokens {
      isSuppressed = true
      kept = TokenSet(
        accessToken: "", expiresAt: NumericDate(0), refreshToken: nil, idToken: nil, scopes: [], subject: "")
    }
  }

  var tokens: TokenSet? {
    if defect == .dropsExpired, let kept, kept.expiresAt < NumericDate(2) { return nil }
    return kept
  }

  func save(_ given: TokenSet) async throws {
    try begin()
    if defect == .answersWhenCutOff, await isCutOff() { return }
    var tokens = given
    switch defect {
    case .forgetsAll: return
    case .mergesMembers: tokens.refreshToken = given.refreshToken ?? kept?.refreshToken
    case .sortsScopes: tokens.scopes.sort()
    case .clearsOnce where clearCount > 0: return
    case .forgetsSignOut: isSuppressed = false
    case .refusesNothing where given.refreshToken == nil: throw Busy()
    case .changes(let fault):
      if given.accessToken.utf8.contains(0), fault == .endsAtNUL { throw Busy() }
      tokens.subject = fault.change(given.subject)
      tokens.accessToken = fault.change(given.accessToken)
    default: break
    }
    kept = tokens
  }

  func clear() async throws {
    try begin()
    if defect == .answersWhenCutOff, await isCutOff() { return }
    clearCount += 1
    if defect == .neverClears { return }
    if defect == .refusesNothing, kept == nil { throw Busy() }
    if defect == .clearsTokensOnly {
      kept?.refreshToken = nil
      return
    }
    if defect == .forgetsSignOut { isSuppressed = false }
    kept = nil
  }

  func suppressesAutomaticSignIn() -> Bool { isSuppressed }

  func setSuppressesAutomaticSignIn(_ suppresses: Bool) async throws {
    if defect == .answersWhenCutOff, await isCutOff() { return }
    switch defect {
    case .remembersSignOutOnly: isSuppressed = isSuppressed || suppresses
    case .togglesSignOut: isSuppressed = suppresses ? !isSuppressed : false
    case .forgetsAll: break
    default: isSuppressed = suppresses
    }
    if defect == .clearsOnSignOut { kept = nil }
  }

  private func begin() throws {
    changes += 1
    if defect == .failsAfterTen, changes > 10 { throw Busy() }
  }

  private func isCutOff() async -> Bool {
    for _ in 0..<50 {
      if Task.isCancelled { return true }
      await Task.yield()
    }
    return false
  }
}
