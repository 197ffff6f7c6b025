import Foundation
import Hummingbird
import JOSE

/// The forms with which administrators add users and clients, and change them.
extension Provider {
  func addAdminForms(to router: Router<ProviderContext>) {
    for path: RouterPath in ["/admin/users/new", "/admin/users/change"] { form(path, router, userForm, addUser) }
    for path: RouterPath in ["/admin/clients/new", "/admin/clients/change"] {
      form(path, router, clientForm, addClient)
    }
  }

  private typealias Show = @Sendable (Login, Visit, FormFields, String?) -> Page
  /// The page that shows the result.
  private typealias Act = @Sendable (FormFields, Login) async throws -> Page

  /// A page with a form, which is shown again with the entered values if they are refused.
  private func form(
    _ path: RouterPath, _ router: Router<ProviderContext>, _ show: @escaping Show, _ act: @escaping Act
  ) {
    page(path, router) { login, visit, query in show(login, visit, try await known(query), nil) }
    router.post(path) { request, _ in
      let (form, visit) = try await pageForm(request)
      let (login, _) = try await mustBeAdmin(request)
      do {
        return try await act(form, login).response()
      } catch let error where error is RuleRefusal || error is UserRepository.NameTaken {
        return show(login, visit, form, "\(error)").response(.badRequest)
      }
    }
  }

  /// The form's values for the user or client to change; empty for a new one.
  private func known(_ query: FormFields) async throws -> FormFields {
    if let id = query.values("user").first, let user = try await users.user(id: id) {
      return [
        "user": id, "username": user.username, "email": user.email, "admin": user.isAdmin ? "on" : "",
        "claims": String(decoding: user.claims.serialized(), as: UTF8.self),
      ]
    }
    guard let client = try await clients.client(identifier: query["client"]) else { return [:] }
    var fields: FormFields = [
      "client": client.id, "name": client.name, "method": client.authentication.rawValue,
      "redirects": client.redirectURIs.joined(separator: "\n"),
      "logouts": client.postLogoutRedirectURIs.joined(separator: "\n"), "channel": client.backChannelLogoutURI ?? "",
      "resources": client.resources.joined(separator: "\n"),
      "keys": client.keys.map { String(decoding: $0.serialized(), as: UTF8.self) } ?? "",
    ]
    for option in Self.switches where client[keyPath: option.member] { fields.append(option.name, "on") }
    return fields
  }

  private static func typed(_ name: String, in form: FormFields) -> String {
    form[name].trimmingCharacters(in: .whitespacesAndNewlines)
  }

  // MARK: Users

  private func userForm(_ login: Login, _ visit: Visit, _ typed: FormFields, _ problem: String?) -> Page {
    func tick(_ label: String, _ name: String) -> HTML { .checkbox(label, name: name, isChecked: !typed[name].isEmpty) }
    let isKnown = !typed["user"].isEmpty
    let special: HTML =
      isKnown
      ? """
      \(HTML.hidden("user", typed["user"]))\(HTML.hidden("username", typed["username"]))\
      \(tick("Make a new password, which is shown once", "password"))\
      \(tick("Remove the second factor", "second-factor"))\(tick("Remove passkeys and linked accounts", "passkeys"))\
      <p class="quiet">Each of these ends all logins. Recovering an account takes all three.</p>
      \(tick("Take the password from everywhere again, after too many wrong ones", "reopen"))
      """
      : """
      \(HTML.field("User name", name: "username", value: typed["username"], autocomplete: "username"))\
      \(HTML.field("Full name", name: "name", value: typed["name"], isRequired: false))\
      <p class="quiet">A first password is made, and shown on the next page once.</p>
      """
    return admin(
      isKnown ? "Change \(typed["username"])" : "Add a user", isKnown ? "user" : "user-new", login,
      """
      \(HTML.alert(problem))<form method="post" action="/admin/users/\(isKnown ? "change" : "new")">\(formField(visit))\
      \(special)\(HTML.field("Email", name: "email", type: "email", value: typed["email"]))\
      \(HTML.lines("Claims as a JSON object, such as given_name", name: "claims", value: typed["claims"]))\
      \(tick("Administrator of the provider", "admin"))\
      <p><button type="submit">\(isKnown ? "Change" : "Add") the user</button></p></form>
      """)
  }

  private func addUser(_ form: FormFields, _ login: Login) async throws -> Page {
    func value(_ name: String) -> String { Self.typed(name, in: form) }
    func isThere(_ name: String) -> Bool { form.values(name).first != nil }
    let (username, email, name) = (value("username"), value("email"), value("name"))
    let text = value("claims")
    guard let claims = try? JSONObject(parsing: (text.isEmpty ? "{}" : text).utf8) else {
      throw RuleRefusal(description: "The claims must be a JSON object.")
    }
    if let user = try await users.user(id: value("user")) {
      var change = UserChange()
      if email != user.email { change.email = email }
      if isThere("claims"), claims != user.claims { change.claims = claims }
      if isThere("admin") != user.isAdmin { change.isAdmin = isThere("admin") }
      if isThere("password") { change.password = RandomText.make(byteCount: 15) }
      (change.removesSecondFactor, change.removesPasskeys) = (isThere("second-factor"), isThere("passkeys"))
      change.reopens = isThere("reopen")
      try await self.change(user, change, by: login.user.id)
      return userPage("The user was changed", "user-changed", user, password: change.password, login)
    }
    guard name.count <= 200 else { throw RuleRefusal(description: "The full name must have at most 200 characters.") }
    let password = RandomText.make(byteCount: 15)
    let user = try await addUser(
      username, email: email, name: name.isEmpty ? nil : name, claims: claims, password: password,
      isAdmin: isThere("admin"), addedBy: login.user.id)
    return userPage("The user was added", "user-added", user, password: password, login)
  }

  private func userPage(_ title: String, _ name: String, _ user: User, password: String?, _ login: Login) -> Page {
    let first: HTML? = password.map { "<dt>First password</dt><dd><code>\($0)</code></dd>" }
    let note: HTML? = password.map { _ in
      "<p>The password is shown only now. The user should change it under <em>Account</em>.</p>"
    }
    let text: HTML = "<div role=\"status\"><dl><dt>User name</dt><dd>\(user.username)</dd>\(first)</dl></div>\(note)"
    return admin(title, name, login, "\(text)<p><a href=\"/admin/users\">Users</a></p>")
  }

  // MARK: Clients

  private static let methods: [(Client.Authentication, String)] = [
    (.basic, "a secret, in a header"), (.post, "a secret, in the form"), (.privateKeyJWT, "a key of its own"),
    (.none, "none: it runs on its user's device"),
  ]

  private static let switches: [(name: String, label: String, member: WritableKeyPath<Client, Bool> & Sendable)] = [
    ("par", "Require pushed authorization requests", \Client.requiresPushedRequests),
    ("dpop", "Require tokens that are bound to a key (DPoP)", \Client.requiresDPoP),
    ("pkce", "Require a code challenge even though it has a secret", \Client.requiresPKCE),
    ("factors", "Require a login with two factors", \Client.requiresTwoFactors),
    ("audience", "Allow assertions with the token endpoint as audience", \Client.allowsTokenEndpointAudience),
    ("device", "Its users log in on another device: it has no browser", \Client.isDevice),
    ("resource", "It is a resource server, which introspects tokens", \Client.isResourceServer),
  ]

  private func clientForm(_ login: Login, _ visit: Visit, _ typed: FormFields, _ problem: String?) -> Page {
    let methods = Self.methods.map { method in (value: method.0.rawValue, label: method.1) }
    let switches: [HTML] = Self.switches.map { option in
      .checkbox(option.label, name: option.name, isChecked: !typed[option.name].isEmpty)
    }
    let isKnown = !typed["client"].isEmpty
    let kind: HTML =
      isKnown
      ? """
      \(HTML.hidden("client", typed["client"]))\(HTML.hidden("method", typed["method"]))\
      \(HTML.checkbox("Make a new secret, which is shown once", name: "secret", isChecked: false))
      """ : HTML.choice("How it authenticates", name: "method", methods, chosen: typed["method"])
    return admin(
      isKnown ? "Change a client" : "Add a client", isKnown ? "client" : "client-new", login,
      """
      \(HTML.alert(problem))<form method="post" action="/admin/clients/\(isKnown ? "change" : "new")">\(formField(visit))\
      \(HTML.field("Name", name: "name", value: typed["name"], hint: "Users see it when they log in."))\
      \(HTML.lines("Redirect URIs, one on each line", name: "redirects", value: typed["redirects"]))\
      \(HTML.lines("Redirect URIs after logout, one on each line", name: "logouts", value: typed["logouts"]))\
      \(HTML.lines("Resources that it may have tokens for, one on each line", name: "resources", value: typed["resources"]))\
      \(HTML.field("Back-channel logout URI", name: "channel", type: "url", value: typed["channel"], isRequired: false))\
      \(kind)\(HTML.lines("Its keys, as a JWK set", name: "keys", value: typed["keys"]))\(switches)\
      <p><button type="submit">\(isKnown ? "Change" : "Add") the client</button></p></form>
      """)
  }

  /// Changes a client as the form says, if the provider allows it.
  private func apply(_ form: FormFields, to client: inout Client) throws(RuleRefusal) {
    func value(_ name: String) -> String { Self.typed(name, in: form) }
    func lines(_ name: String) -> [String] { value(name).split(whereSeparator: \.isWhitespace).map(String.init) }
    (client.name, client.redirectURIs) = (value("name"), lines("redirects"))
    client.postLogoutRedirectURIs = lines("logouts")
    client.resources = lines("resources")
    client.backChannelLogoutURI = value("channel").isEmpty ? nil : value("channel")
    for option in Self.switches { client[keyPath: option.member] = form.values(option.name).first != nil }
    if !value("keys").isEmpty {
      guard let keys = try? JWKSet(parsing: Array(value("keys").utf8)) else {
        throw RuleRefusal(description: "The keys must be a JWK Set.")
      }
      client.keys = keys
    }
    try ClientRules.check(client, settings)
  }

  private func addClient(_ form: FormFields, _ login: Login) async throws -> Page {
    let id = Self.typed("client", in: form)
    guard let method = Client.Authentication(rawValue: Self.typed("method", in: form)) else {
      throw RuleRefusal(description: "There is no such way to authenticate.")
    }
    let isRenewed = form.values("secret").first != nil
    var known: (client: Client, secret: String?)?
    if !id.isEmpty {
      known = try await change(client: id, renewingSecret: isRenewed, by: login.user.id) { client in
        try apply(form, to: &client)
      }
    }
    var new = Client(id: RandomText.make(byteCount: 12), name: "", authentication: method, redirectURIs: [])
    if known == nil { try apply(form, to: &new) }
    let shown: (client: Client, secret: String?) =
      if let known { known } else { (new, try await addClient(new, addedBy: login.user.id)) }
    let (client, secret) = shown
    let secretLine: HTML? = secret.map { "<dt>client_secret</dt><dd><code>\($0)</code></dd>" }
    let note: HTML? = secret.map { _ in "<p>The secret is shown only now.</p>" }
    return admin(
      "The client was \(known == nil ? "added" : "changed")", "client-added", login,
      """
      <div role="status"><dl><dt>Name</dt><dd>\(client.name)</dd><dt>client_id</dt><dd><code>\(client.id)</code></dd>\
      \(secretLine)</dl></div>\(note)<p><a href="/admin/clients">Clients</a></p>
      """)
  }
}
