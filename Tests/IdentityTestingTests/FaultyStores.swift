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

/// A limiter with a defect.
actor FaultyLimiter: RateLimiter {
  enum Defect: CaseIterable, Sendable {
    case joinsNames, forgetsBlockWhenClockGoesBack, countsInLastKeyOnly, allowsOneAlways
  }

  private let inner = InMemoryRateLimiter()
  private let defect: Defect
  private var last = -Double.infinity

  init(_ defect: Defect) { self.defect = defect }

  func attempt(_ keys: [RateLimitKey], limit: Int, blockDuration: Duration, now: NumericDate) async -> RateLimitDecision
  {
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
