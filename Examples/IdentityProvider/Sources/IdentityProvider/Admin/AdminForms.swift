import Hummingbird
import JOSE

/// The forms with which administrators add users and clients.
extension Provider {
  func addAdminForms(to router: Router<ProviderContext>) {
    form("/admin/users/new", router, newUserPage, addUser)
    form("/admin/clients/new", router, newClientPage, addClient)
  }

  private typealias Show = @Sendable (Login, Visit, FormFields, String?) -> Page
  /// The page that says what came of it.
  private typealias Act = @Sendable (FormFields, Login) async throws -> Page

  /// A page with a form, which comes again with what was typed if it can't be taken.
  private func form(
    _ path: RouterPath, _ router: Router<ProviderContext>, _ show: @escaping Show, _ act: @escaping Act
  ) {
    router.get(path) { request, _ in
      let (login, visit) = try await mustBeAdmin(request)
      return visit.remembered(in: show(login, visit, FormFields(), nil).response())
    }
    router.post(path) { request, _ in
      let (form, visit) = try await pageForm(request)
      let (login, _) = try await mustBeAdmin(request)
      do {
        return try await act(form, login).response()
      } catch let refusal as FormRefusal {
        return show(login, visit, form, refusal.text).response(.badRequest)
      }
    }
  }

  /// Why a form comes again.
  private struct FormRefusal: Error {
    let text: String
  }

  // MARK: Users

  private func newUserPage(_ login: Login, _ visit: Visit, _ typed: FormFields, _ problem: String?) -> Page {
    func value(_ name: String) -> String { typed.values(name).first ?? "" }
    return Page(
      title: "Add a user", name: "admin-user-new",
      body: """
        \(HTML.alert(problem))<form method="post" action="/admin/users/new">\(formField(visit))\
        \(HTML.field("User name", name: "username", value: value("username"), autocomplete: "username"))\
        \(HTML.field("Full name", name: "name", value: value("name"), isRequired: false))\
        \(HTML.field("Email", name: "email", type: "email", value: value("email")))\
        \(HTML.checkbox("The user administers the provider", name: "admin", isChecked: !value("admin").isEmpty))\
        <p><button type="submit">Add the user</button></p></form>
        <p class="quiet">A first password is made, and shown on the next page once.</p>
        """,
      navigation: navigation(login))
  }

  private func addUser(_ form: FormFields, _ login: Login) async throws -> Page {
    func value(_ name: String) -> String { (form.values(name).first ?? "").trimmingSpace }
    let (username, email, name) = (value("username"), value("email"), value("name"))
    guard name.count <= 200 else { throw FormRefusal(text: "The name is too long.") }
    let password = RandomText.make(byteCount: 15)
    let user: User
    do {
      user = try await addUser(
        username, email: email, name: name.isEmpty ? nil : name, password: password,
        isAdmin: form.values("admin").first != nil, addedBy: login.user.id)
    } catch let error as UserRepository.NameTaken {
      throw FormRefusal(text: "This can't be: \(error.description).")
    } catch let error as AccountRules.Refusal {
      throw FormRefusal(text: error.description)
    }
    return Page(
      title: "The user was added", name: "admin-user-added",
      body: """
        <div role="status"><dl><dt>User name</dt><dd>\(user.username)</dd>\
        <dt>First password</dt><dd><code>\(password)</code></dd></dl></div>
        <p>The password is shown only now. The user should change it under <em>Account</em>.</p>
        <p><a href="/admin/users">Users</a></p>
        """,
      navigation: navigation(login))
  }

  // MARK: Clients

  private static let methods: [(Client.Authentication, String)] = [
    (.basic, "a secret, in a header"), (.post, "a secret, in the form"), (.privateKeyJWT, "a key of its own"),
    (.none, "none: it runs on its user's machine"),
  ]

  private func newClientPage(_ login: Login, _ visit: Visit, _ typed: FormFields, _ problem: String?) -> Page {
    func value(_ name: String) -> String { typed.values(name).first ?? "" }
    let methods = Self.methods.map { method in (value: method.0.rawValue, label: method.1) }
    return Page(
      title: "Add a client", name: "admin-client-new",
      body: """
        \(HTML.alert(problem))<form method="post" action="/admin/clients/new">\(formField(visit))\
        \(HTML.field("Name", name: "name", value: value("name"), hint: "Users see it when they log in."))\
        \(HTML.lines("Redirect URIs, one on each line", name: "redirects", value: value("redirects")))\
        \(HTML.lines("Addresses after a logout, one on each line", name: "logouts", value: value("logouts")))\
        \(HTML.field("Back channel for logouts", name: "channel", type: "url", value: value("channel"), isRequired: false))\
        \(HTML.choice("How it authenticates", name: "method", methods, chosen: value("method")))\
        \(HTML.lines("Its keys, as a JWK set", name: "keys", value: value("keys")))\
        \(HTML.checkbox("It pushes its authorization requests", name: "par", isChecked: !value("par").isEmpty))\
        \(HTML.checkbox("It proves possession of a key", name: "dpop", isChecked: !value("dpop").isEmpty))\
        \(HTML.checkbox("It is a resource server, which asks about tokens", name: "resource", isChecked: !value("resource").isEmpty))\
        <p><button type="submit">Add the client</button></p></form>
        """,
      navigation: navigation(login))
  }

  private func addClient(_ form: FormFields, _ login: Login) async throws -> Page {
    func value(_ name: String) -> String { (form.values(name).first ?? "").trimmingSpace }
    func lines(_ name: String) -> [String] { value(name).split(whereSeparator: \.isWhitespace).map(String.init) }
    guard let method = Client.Authentication(rawValue: value("method")) else {
      throw FormRefusal(text: "There is no such way to authenticate.")
    }
    var client = Client(
      id: RandomText.make(byteCount: 12), name: value("name"), authentication: method, redirectURIs: lines("redirects"))
    client.postLogoutRedirectURIs = lines("logouts")
    client.backChannelLogoutURI = value("channel").isEmpty ? nil : value("channel")
    client.requiresPushedRequests = form.values("par").first != nil
    client.requiresDPoP = form.values("dpop").first != nil
    client.isResourceServer = form.values("resource").first != nil
    if !value("keys").isEmpty {
      guard let keys = try? JWKSet(parsing: Array(value("keys").utf8)) else {
        throw FormRefusal(text: "The keys are no JWK set.")
      }
      client.keys = keys
    }
    do throws(ClientRules.Refusal) {
      try ClientRules.check(client)
    } catch {
      throw FormRefusal(text: error.description)
    }
    let secret = try await addClient(client, addedBy: login.user.id)
    let secretLine: HTML? = secret.map { "<dt>client_secret</dt><dd><code>\($0)</code></dd>" }
    let note: HTML? = secret.map { _ in "<p>The secret is shown only now.</p>" }
    return Page(
      title: "The client was added", name: "admin-client-added",
      body: """
        <div role="status"><dl><dt>Name</dt><dd>\(client.name)</dd><dt>client_id</dt><dd><code>\(client.id)</code></dd>\
        \(secretLine)</dl></div>\(note)
        <p><a href="/admin/clients">Clients</a></p>
        """,
      navigation: navigation(login))
  }
}

extension String {
  /// Without white space at both ends.
  fileprivate var trimmingSpace: String {
    let end = lastIndex { !$0.isWhitespace }
    return end.map { String(self[...$0].drop { $0.isWhitespace }) } ?? ""
  }
}
