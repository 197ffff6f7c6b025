import JOSE
import NativeSSO

/// What a `NativeSSOProvider` relies on in its directory of sessions and users.
public enum SessionStoreCases {
  /// All rules.
  public static let all: [StoreCase<any SessionStore>] = [
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
    return found.id == session.id && found.userID == session.userID && found.isActive == session.isActive
      && found.authenticatedAt == session.authenticatedAt
      && found.authenticationContext == session.authenticationContext
      && found.authenticationMethods == session.authenticationMethods
  }
}
