import JOSE
import AppleSignInKit

/// What a `AppleNotificationReceiver` relies on in its store.
public enum AppleNotificationStoreCases {
  /// All rules. It is 1760000000, by the clock that the store should have.
  public static let all = rules + texts

  /// Whatever notifications, users and apps are called, they are compared octet by octet.
  private static let texts: [StoreCase<any AppleNotificationStore>] = AwkwardText.all.flatMap { name, text in
    [
      StoreCase("\(name) names a notification, and no other") { place in
        let event = notification(text, at: 10, .other("news"))
        _ = try await place.open().record(event, expiration: expiration)
        let store = try await place.open()
        let verdict = try await store.verdict(on: event, expiration: expiration)
        let twin = notification(AwkwardText.twin(of: text), at: 10, .other("news"))
        return try await allHold(
          verdict == .duplicate, store.record(twin, expiration: expiration) == .new)
      },
      StoreCase("\(name) names a user and an app, and no others") { place in
        let twin = AwkwardText.twin(of: text)
        _ = try await place.open().record(notification("1", subject: text, app: text), expiration: expiration)
        let store = try await place.open()
        for (name, subject, app) in [("2", twin, text), ("3", text, twin)] {
          let other = notification(name, at: 9, subject: subject, app: app)
          guard try await store.verdict(on: other, expiration: expiration) == .new else { return false }
        }
        let earlier = notification("4", at: 9, subject: text, app: text)
        return try await store.verdict(on: earlier, expiration: expiration) == .outdated
      },
    ]
  }

  private static let rules: [StoreCase<any AppleNotificationStore>] = [
    StoreCase("a notification that nobody has recorded is new") { place in
      try await place.open().verdict(on: notification("1"), expiration: expiration) == .new
    },
    StoreCase("asking for the verdict records nothing") { place in
      let store = try await place.open()
      for _ in 0..<2 { _ = try await store.verdict(on: notification("1"), expiration: expiration) }
      return try await store.record(notification("1"), expiration: expiration) == .new
    },
    StoreCase("what was recorded is a duplicate, also when the store is opened again") { place in
      let store = try await place.open()
      let first = try await store.record(notification("1"), expiration: expiration)
      let second = try await store.record(notification("1"), expiration: expiration)
      let verdict = try await place.open().verdict(on: notification("1"), expiration: expiration)
      return first == .new && second == .duplicate && verdict == .duplicate
    },
    StoreCase("an earlier event of the same app, user and kind is outdated, and says so when it is recorded") { place in
      let store = try await place.open()
      _ = try await store.record(notification("1", at: 10), expiration: expiration)
      let again = try await place.open()
      let verdict = try await again.verdict(on: notification("2", at: 9), expiration: expiration)
      let recorded = try await again.record(notification("2", at: 9), expiration: expiration)
      return verdict == .outdated && recorded == .outdated
    },
    StoreCase("an outdated event does not move the time back") { place in
      let store = try await place.open()
      for (name, time) in [("1", 10), ("2", 5)] {
        _ = try await store.record(notification(name, at: time), expiration: expiration)
      }
      return try await store.verdict(on: notification("3", at: 7), expiration: expiration) == .outdated
    },
    StoreCase("a later event and one of the same time are new") { place in
      let store = try await place.open()
      _ = try await store.record(notification("1", at: 10), expiration: expiration)
      let same = try await store.record(notification("2", at: 10), expiration: expiration)
      let later = try await store.record(notification("3", at: 11), expiration: expiration)
      return same == .new && later == .new
    },
    StoreCase("milliseconds count") { place in
      let store = try await place.open()
      _ = try await store.record(notification("1", at: 10, .consentRevoked, milliseconds: 2), expiration: expiration)
      let earlier = notification("2", at: 10, .consentRevoked, milliseconds: 1)
      return try await store.verdict(on: earlier, expiration: expiration) == .outdated
    },
    StoreCase("an event of another kind is not outdated") { place in
      let store = try await place.open()
      _ = try await store.record(notification("1", at: 10), expiration: expiration)
      let mail = try await store.record(notification("2", at: 9, .emailDisabled), expiration: expiration)
      let account = try await store.record(notification("3", at: 9, .accountDeleted), expiration: expiration)
      return mail == .new && account == .new
    },
    StoreCase("mail that is switched on and off is of one kind") { place in
      let (off, on) = (notification("1", at: 10, .emailDisabled), notification("2", at: 9, .emailEnabled))
      return try await verdict(on: on, after: off, place) == .outdated
    },
    StoreCase("an event of another user or app is not outdated; both are compared as bytes") { place in
      let store = try await place.open()
      _ = try await store.record(notification("1", at: 10, subject: "\u{E9}"), expiration: expiration)
      for (name, subject, app) in [("2", "e\u{301}", "a"), ("3", "\u{C9}", "a"), ("4", "\u{E9}", "b")] {
        let other = notification(name, at: 9, subject: subject, app: app)
        guard try await store.record(other, expiration: expiration) == .new else { return false }
      }
      return true
    },
    StoreCase("events that Apple has added since outdate nothing") { place in
      try await verdict(on: notification("2", at: 9, .other("n")), after: notification("1", at: 10, .other("n")), place)
        == .new
    },
    StoreCase("two events of one notification are two") { place in
      try await verdict(on: notification("1", at: 10, .emailDisabled), after: notification("1", at: 10), place) == .new
    },
    StoreCase("the time of the last event outlives its name") { place in
      _ = try await place.open().record(notification("1"), expiration: NumericDate(1_759_999_999))
      let earlier = try await place.open().verdict(on: notification("2", at: 9), expiration: expiration)
      return earlier == .outdated
    },
    StoreCase("an outdated event that comes again is a duplicate") { place in
      let store = try await place.open()
      _ = try await store.record(notification("1"), expiration: expiration)
      let late = notification("2", at: 9)
      let first = try await store.record(late, expiration: expiration)
      return try await allHold(first == .outdated, store.record(late, expiration: expiration) == .duplicate)
    },
    StoreCase("of simultaneous events the latest is the one that others are outdated by") { place in
      _ = try await place.successes { store, number in
        // Neither the first nor the last to begin is the latest.
        let event = notification("n\(number)", at: 100 + number * 7 % 32)
        _ = try await store.record(event, expiration: expiration)
        return true
      }
      let store = try await place.open()
      let earlier = try await store.verdict(on: notification("x", at: 130), expiration: expiration)
      let latest = try await store.verdict(on: notification("y", at: 131), expiration: expiration)
      return earlier == .outdated && latest == .new
    },
    StoreCase("simultaneous events of many users are all new, and all duplicates afterwards") { place in
      let new = try await place.successes { store, number in
        try await store.record(notification("n\(number)", subject: "\(number)"), expiration: expiration) == .new
      }
      let known = try await place.successes { store, number in
        try await store.record(notification("n\(number)", subject: "\(number)"), expiration: expiration) == .duplicate
      }
      return new == 32 && known == 32
    },
    StoreCase("of simultaneous records one is new, the others are duplicates") { place in
      let new = try await place.successes { store, _ in
        let verdict = try await store.record(notification("1"), expiration: expiration)
        return verdict == .new
      }
      return try await allHold(new == 1, place.open().record(notification("1"), expiration: expiration) == .duplicate)
    },
    StoreCase("a record that is cut off has happened or not") { place in
      for number in 0..<16 {
        let event = notification("n\(number)", at: number, .other("news"))
        let verdict = try await place.cancelled { try await $0.record(event, expiration: expiration) }
        let again = try await place.open().record(event, expiration: expiration)
        if verdict == .new, again != .duplicate { return false }
      }
      return true
    },
    StoreCase("stores at different places don't share notifications") { place in
      _ = try await place.open().record(notification("1"), expiration: expiration)
      return try await place.other.open().record(notification("1"), expiration: expiration) == .new
    },
  ]

  private static let expiration = NumericDate(1_760_000_000 + 48 * 3600)

  /// What a store says of an event when it has recorded another.
  private static func verdict(
    on later: AppleNotification, after first: AppleNotification, _ place: StorePlace<any AppleNotificationStore>
  ) async throws -> AppleNotificationVerdict {
    let store = try await place.open()
    _ = try await store.record(first, expiration: expiration)
    return try await store.record(later, expiration: expiration)
  }

  private static func notification(
    _ name: String, at seconds: Int = 10, _ event: AppleNotification.Event = .consentRevoked, milliseconds: Double = 0,
    subject: String = "s", app: String = "a"
  ) -> AppleNotification {
    AppleNotification(
      event: event, subject: subject, eventTime: NumericDate(seconds).advanced(by: milliseconds / 1000), audience: app,
      tokenID: name)
  }
}
