import JOSE
import NativeSSOKit

/// What a `NativeSSOProvider` relies on in its directory of sessions and users.
public enum SessionStoreCases {
  /// All rules.
  public static let all = rules + texts

  /// Whatever sessions, users, clients and scopes are called, it is kept and compared octet by octet.
  private static let texts: [StoreCase<any SessionStore>] = AwkwardText.all.flatMap {
    name, text -> [StoreCase<any SessionStore>] in
    let twin = AwkwardText.twin(of: text)
    return [
      StoreCase("\(name) is a session's name, and is kept in it") { place in
        let session = AuthenticationSession(
          id: text, userID: text, authenticatedAt: NumericDate(5), authenticationContext: text,
          authenticationMethods: [text, twin])
        try await place.open().add(session)
        let store = try await place.open()
        try await store.end(sessionID: twin)
        return try await allHold(store.session(id: twin) == nil, isSame(store.session(id: text), session))
      },
      StoreCase("\(name) is a user's name, and no other's") { place in
        try await place.open().addUser(text)
        let store = try await place.open()
        try await store.disableUser(twin)
        let isActive = try await store.isActive(userID: text)
        return try await allHold(isActive, !store.isActive(userID: twin))
      },
      StoreCase("\(name) is agreed to, by this user with this client alone") { place in
        try await place.open().grant([text, "b", text], userID: text, clientID: text)
        let store = try await place.open()
        for (user, client) in [(twin, text), (text, twin)] {
          guard try await store.grantedScopes(userID: user, clientID: client).isEmpty else { return false }
        }
        let scopes = try await store.grantedScopes(userID: text, clientID: text)
        return scopes.map { Array($0.utf8) } == [text, "b", text].map { Array($0.utf8) }
      },
    ]
  }

  private static let rules: [StoreCase<any SessionStore>] = [
    StoreCase("an empty directory has no session, no user and no consent") { place in
      let store = try await place.open()
      let isFound = try await store.session(id: "s") != nil
      let isActive = try await store.isActive(userID: "user")
      return try await allHold(!isFound, !isActive, store.grantedScopes(userID: "user", clientID: "app").isEmpty)
    },
    StoreCase("a session is found by its name, with every member") { place in
      let store = try await place.open()
      try await store.add(session("s"))
      return try await isSame(store.session(id: "s"), session("s"))
    },
    StoreCase("a session without what it need not have is read as it was written") { place in
      let store = try await place.open()
      let bare = AuthenticationSession(id: "s", userID: "user", authenticatedAt: NumericDate(-1))
      try await store.add(bare)
      return try await isSame(store.session(id: "s"), bare)
    },
    StoreCase("sessions, users and consents are there when the directory is opened again") { place in
      let store = try await place.open()
      try await store.add(session("s"))
      try await store.addUser("user")
      try await store.grant(["openid", "email"], userID: "user", clientID: "app")
      let again = try await place.open()
      let isActive = try await again.isActive(userID: "user")
      let scopes = try await again.grantedScopes(userID: "user", clientID: "app")
      return try await allHold(isActive, scopes == ["openid", "email"], isSame(again.session(id: "s"), session("s")))
    },
    StoreCase("a session that has ended is there, and not active any more") { place in
      let store = try await place.open()
      try await store.add(session("s"))
      try await store.add(session("t"))
      try await store.end(sessionID: "s")
      try await store.end(sessionID: "?")
      let again = try await place.open()
      let ended = try await again.session(id: "s")
      return try await allHold(ended?.isActive == false, again.session(id: "t")?.isActive == true)
    },
    StoreCase("a user who is disabled is not active, and can be enabled again") { place in
      let store = try await place.open()
      try await store.addUser("user")
      try await store.addUser("user")
      try await store.disableUser("user")
      let isActive = try await place.open().isActive(userID: "user")
      try await store.addUser("user")
      return try await allHold(!isActive, store.isActive(userID: "user"))
    },
    StoreCase("a consent takes the place of the one before") { place in
      let store = try await place.open()
      try await store.grant(["openid", "email"], userID: "user", clientID: "app")
      try await store.grant(["openid"], userID: "user", clientID: "app")
      try await store.grant(["profile"], userID: "user", clientID: "another")
      return try await store.grantedScopes(userID: "user", clientID: "app") == ["openid"]
    },
    StoreCase("names are compared as bytes") { place in
      let store = try await place.open()
      try await store.add(session("\u{E9}"))
      try await store.addUser("\u{E9}")
      try await store.grant(["openid"], userID: "\u{E9}", clientID: "app")
      for name in ["e\u{301}", "\u{C9}", "' OR 1=1 --"] {
        let isFound = try await store.session(id: name) != nil
        let isActive = try await store.isActive(userID: name)
        let scopes = try await store.grantedScopes(userID: name, clientID: "app")
        guard !isFound, !isActive, scopes.isEmpty else { return false }
      }
      return true
    },
    StoreCase("a subject leads back to its user, for each client") { place in
      let store = try await place.open()
      try await store.addUser("user")
      let subject = try await store.subject(userID: "user", clientID: "app")
      let again = try await place.open()
      let isStable = try await again.subject(userID: "user", clientID: "app") == subject
      return try await allHold(isStable, again.userID(subject: subject, clientID: "app") == "user")
    },
    StoreCase("a subject that is asked for at once is one subject") { place in
      let expected = try await place.open().subject(userID: "user", clientID: "app")
      let same = try await place.successes { store, _ in
        try await store.subject(userID: "user", clientID: "app") == expected
      }
      return same == 32
    },
    StoreCase("a session that is added again is written anew, and only that one") { place in
      let store = try await place.open()
      try await store.add(session("s"))
      try await store.add(session("t"))
      try await store.end(sessionID: "s")
      let anew = AuthenticationSession(id: "s", userID: "another", authenticatedAt: NumericDate(7))
      try await place.open().add(anew)
      return try await allHold(isSame(store.session(id: "s"), anew), isSame(store.session(id: "t"), session("t")))
    },
    StoreCase("to agree to nothing takes the consent back") { place in
      let store = try await place.open()
      try await store.grant(["openid"], userID: "user", clientID: "app")
      try await store.grant([], userID: "user", clientID: "app")
      return try await place.open().grantedScopes(userID: "user", clientID: "app").isEmpty
    },
    StoreCase("a user who is disabled before anybody knew of them is not active") { place in
      try await place.open().disableUser("user")
      return try await !place.open().isActive(userID: "user")
    },
    StoreCase("of consents that are written at once one is there, whole") { place in
      _ = try await place.successes { store, number in
        try await store.grant(["a\(number)", "b\(number)"], userID: "user", clientID: "app")
        return true
      }
      let scopes = try await place.open().grantedScopes(userID: "user", clientID: "app")
      return scopes.count == 2 && scopes[0].dropFirst() == scopes[1].dropFirst()
    },
    StoreCase("users who are added and disabled at once are what was said of them last") { place in
      let disabled = try await place.successes { store, number in
        for _ in 0..<3 {
          try await store.addUser("u\(number)")
          try await store.disableUser("u\(number)")
        }
        return try await !store.isActive(userID: "u\(number)")
      }
      return disabled == 32
    },
    StoreCase("sessions that are added and ended at once are all there") { place in
      let done = try await place.successes { store, number in
        try await store.add(session("s\(number)"))
        try await store.end(sessionID: "s\(number)")
        return try await store.session(id: "s\(number)")?.isActive == false
      }
      return done == 32
    },
    StoreCase("directories at different places don't share sessions") { place in
      try await place.open().add(session("s"))
      return try await place.other.open().session(id: "s") == nil
    },
  ]

  private static func session(_ id: String) -> AuthenticationSession {
    AuthenticationSession(
      id: id, userID: "\u{1F600}'\"\\", authenticatedAt: NumericDate(1_760_000_000).advanced(by: 0.25),
      authenticationContext: "urn:example:gold", authenticationMethods: ["pwd", "otp"])
  }

  private static func isSame(_ found: AuthenticationSession?, _ session: AuthenticationSession) -> Bool {
    guard let found else { return false }
    // Swift's == takes texts for the same that differ by their octets.
    func octets(_ session: AuthenticationSession) -> [[UInt8]?] {
      [session.id, session.userID, session.authenticationContext].map { $0.map { Array($0.utf8) } }
        + (session.authenticationMethods ?? ["none"]).map { Array($0.utf8) }
    }
    return octets(found) == octets(session) && found.isActive == session.isActive
      && found.authenticatedAt == session.authenticatedAt
      && (found.authenticationMethods == nil) == (session.authenticationMethods == nil)
  }
}
