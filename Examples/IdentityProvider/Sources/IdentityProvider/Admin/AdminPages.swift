import JOSE

/// The pages of administrators.
extension Provider {
  func usersPage(_ login: Login, _ visit: Visit, _ query: FormFields) async throws -> Page {
    let list = try await users.users(after: query["after"])
    let closed = try await guesses.closedUsers()
    let rows: [HTML] = list.map { user in
      let state = user.isEnabled ? "enabled" : "disabled"
      let marks = [
        user.isAdmin ? "administrator" : nil, user.hasSecondFactor ? "second factor" : nil,
        closed.contains(user.id) ? "closed to new browsers after wrong guesses" : nil,
      ].compactMap { $0 }
      let change =
        user.isEnabled
        ? button("Disable", "/admin/users/disable", [("user", user.id)], visit)
        : button("Enable", "/admin/users/enable", [("user", user.id)], visit)
      return """
        <tr><td><a href="/admin/users/change?user=\(user.id)">\(user.username)</a></td><td>\(user.displayName)</td><td>\(user.email)</td><td>\
        \(([state] + marks).joined(separator: ", "))</td><td>\(change) \
        \(button("Sign out", "/admin/users/sign-out", [("user", user.id)], visit))</td></tr>
        """
    }
    let more: HTML? =
      list.count < 100
      ? nil
      : list.last.map {
        "<p><a href=\"/admin/users?after=\(PathText.encode($0.username))\">More</a></p>"
      }
    return admin(
      "Users", "users", login,
      """
      <p><a class="action" href="/admin/users/new">Add a user</a></p>
      \(HTML.table(["User name", "Name", "Email", "State", ""], rows))\(more)
      """)
  }

  func clientsPage(_ login: Login, _ visit: Visit, _ query: FormFields) async throws -> Page {
    let rows: [HTML] = try await clients.clients().map { client in
      let addresses: [HTML] = client.redirectURIs.map { "<div>\($0)</div>" }
      let change =
        client.isEnabled
        ? button("Disable", "/admin/clients/disable", [("client", client.id)], visit)
        : button("Enable", "/admin/clients/enable", [("client", client.id)], visit)
      return """
        <tr><td><a href="/admin/clients/change?client=\(PathText.encode(client.id))">\(client.name)</a></td><td><code>\(client.id)</code></td><td>\(client.authentication.rawValue)</td><td>\
        \(addresses)</td><td>\(client.isEnabled ? "enabled" : "disabled")</td><td>\(change)</td></tr>
        """
    }
    return admin(
      "Clients", "clients", login,
      """
      <p><a class="action" href="/admin/clients/new">Add a client</a></p>
      \(HTML.table(["Name", "client_id", "Authentication", "Redirect URIs", "State", ""], rows))
      """)
  }

  func devicesPage(_ login: Login, _ visit: Visit, _ query: FormFields) async throws -> Page {
    var rows: [HTML] = []
    for part in extensions {
      for device in try await part.devices(of: nil) {
        var owner = ""
        if let id = device.userID { owner = try await users.user(id: id)?.username ?? id }
        let stop: HTML? =
          device.isActive
          ? button("Revoke", "/admin/devices/revoke", [("device", device.id)], visit) : nil
        rows.append(
          """
          <tr><td>\(device.name.visible())</td><td>\(device.kind)</td><td>\(device.identity ?? "")</td><td>\(owner)</td><td>\(Self.text(device.registeredAt))</td><td>\
          \(device.lastUsedAt.map(Self.text) ?? "")</td><td>\(device.isActive ? "active" : "revoked")</td><td>\(stop)</td></tr>
          """)
      }
    }
    return admin(
      "Devices", "devices", login,
      HTML.table(["Device", "Kind", "Identity", "User", "Registered", "Last used", "State", ""], rows))
  }

  func keysPage(_ login: Login, _ visit: Visit, _ query: FormFields) async throws -> Page {
    let rows: [HTML] = try await keys.snapshot().entries.map { entry in
      """
      <tr><td><code>\(entry.id)</code></td><td>\(entry.algorithm)</td><td>\(entry.state.rawValue)</td><td>\
      \(Self.text(entry.publishedAt))</td><td>\(entry.activatedAt.map(Self.text) ?? "")</td><td>\
      \(entry.retiredAt.map(Self.text) ?? "")</td></tr>
      """
    }
    return admin(
      "Keys", "keys", login,
      """
      \(HTML.table(["kid", "Algorithm", "State", "Published", "In use from", "Until"], rows))
      <p class="quiet">The next keys are published before they are used. Retired ones stay published for 30 days.</p>
      <p>\(button("Rotate the keys", "/admin/keys/rotate", [], visit))</p>
      """)
  }

  func auditPage(_ login: Login, _ visit: Visit, _ query: FormFields) async throws -> Page {
    func asked(_ name: String) -> String? { query.values(name).first.flatMap { $0.isEmpty ? nil : $0 } }
    var userID: String?
    if let name = asked("user") { userID = try await users.user(named: name)?.id ?? name }
    let entries = try await audit.entries(
      named: asked("event"), user: userID, before: asked("before").flatMap { Int64($0) })
    var names: [String: String] = [:]
    for id in Set(entries.compactMap(\.event.user)) { names[id] = try await users.user(id: id)?.username }
    let rows: [HTML] = entries.map { entry in
      let event = entry.event
      return """
        <tr><td>\(Self.text(entry.date))</td><td>\(event.name)</td><td>\
        \(event.user.map { names[$0] ?? $0 } ?? "")</td><td>\(event.client ?? "")</td><td>\(event.address?.text ?? "")</td><td>\
        \(event.detail ?? "")</td></tr>
        """
    }
    var more: HTML?
    if entries.count == 100, let last = entries.last {
      var fields: FormFields = ["before": String(last.number)]
      if let event = asked("event") { fields.append("event", event) }
      if let user = asked("user") { fields.append("user", user) }
      more = "<p><a href=\"/admin/audit?\(fields.encodedAsQuery())\">Older</a></p>"
    }
    return admin(
      "Audit log", "audit", login,
      """
      <form method="get" action="/admin/audit"><div class="row">\
      \(HTML.field("Event begins with", name: "event", value: asked("event") ?? "", isRequired: false))\
      \(HTML.field("User", name: "user", value: asked("user") ?? "", isRequired: false))\
      <p><button type="submit">Filter</button></p></div></form>
      \(HTML.table(["Time", "Event", "User", "Client", "Address", "Detail"], rows))\(more)
      """)
  }

  func admin(_ title: String, _ name: String, _ login: Login, _ body: HTML) -> Page {
    Page(title: title, name: "admin-" + name, body: body, navigation: navigation(login))
  }
}
