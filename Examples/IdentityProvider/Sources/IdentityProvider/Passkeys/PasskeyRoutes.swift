import Hummingbird
import JOSE
import PureCrypto

/// Passkeys: users add them on the account page, and log in with them instead of a password and a code.
extension Provider {
  var passkeys: PasskeyRepository { PasskeyRepository(database: database, clock: clock) }

  private var passkeyVerifier: PasskeyVerifier { PasskeyVerifier(issuer: settings.issuer) }

  private var passkeyChallenges: PasskeyChallenges {
    PasskeyChallenges(code: secrets.nonceCode, records: database.records, clock: clock)
  }

  // MARK: Forms

  /// The form that logs in without a user name, since the authenticator knows it.
  func passkeyLoginForm(_ visit: Visit, interactionID id: String?) -> HTML {
    let options: JSONObject = [
      "challenge": challenge(for: "get " + visit.name), "rp": ["id": .string(passkeyVerifier.name)],
    ]
    let fields: [HTML] = ["credential", "authenticator", "client", "signature", "user"].map { .hidden($0, "") }
    return """
      <form method="post" action="/login/passkey" data-passkey="\(Self.text(of: options))" hidden>\(formField(visit))\
      \(HTML.hidden("request", id ?? ""))\(fields)<p role="alert" data-problem hidden></p>\
      <p><button type="submit" class="second">Log in with a passkey</button></p></form>
      """
  }

  /// A user's passkeys, and the form that adds one.
  func passkeySection(_ login: Login, _ visit: Visit) async throws -> HTML {
    let user = login.user
    let known = try await passkeys.passkeys(of: user.id)
    let rows: [HTML] = known.map { passkey in
      """
      <tr><td>\(passkey.name)</td><td>\(Self.text(passkey.createdAt))</td><td>\(passkey.lastUsedAt.map(Self.text) ?? "")</td>\
      <td>\(button("Remove", "/account/passkey/remove", [("passkey", Base64URL.encode(passkey.id))], visit))</td></tr>
      """
    }
    let options: JSONObject = [
      "challenge": challenge(for: "create " + user.id),
      "rp": ["id": .string(passkeyVerifier.name), "name": .string(settings.organizationName)],
      "user": [
        "id": .string(Base64URL.encode(user.id.utf8)), "name": .string(user.username),
        "displayName": .string(user.displayName),
      ],
      "exclude": .strings(known.map { Base64URL.encode($0.id) }),
    ]
    let name = HTML.field("Name of the passkey", name: "name", id: "passkey-name", value: "Passkey \(known.count + 1)")
    let password = HTML.field(
      "Password", name: "password", id: "password-passkey", type: "password", autocomplete: "current-password")
    return """
      <h2>Passkeys</h2>\(HTML.table(["Name", "Since", "Last used", ""], rows))
      <form method="post" action="/account/passkey/add" data-passkey="\(Self.text(of: options))" hidden>\(formField(visit))\
      \(HTML.hidden("attestation", ""))\(HTML.hidden("client", ""))\(name)\(password)<p role="alert" data-problem hidden></p>\
      <p><button type="submit">Add a passkey</button></p></form>
      """
  }

  /// The challenge that authenticators sign, in base64url as the browser writes it.
  private func challenge(for purpose: String) -> JSONValue {
    .string(Base64URL.encode(passkeyChallenges.make(for: purpose).utf8))
  }

  private static func text(of options: JSONObject) -> String { String(decoding: options.serialized(), as: UTF8.self) }

  // MARK: Adding and removing

  func addPasskey(
    _ form: FormFields, _ login: Login, _ request: Request, _ context: ProviderContext
  ) async throws -> Response? {
    let visit = Visit(request)
    guard let user = try await confirmedUser(form, login) else {
      return try await accountPage(login, visit, problem: "The password is wrong.").response(.forbidden)
    }
    do {
      try await register(form, user)
    } catch let refusal as PasskeyRefusal {
      await audit.record(.init("passkey.refused", user: user.id, detail: refusal.rawValue))
      let problem =
        refusal == .credentialKnown
        ? "This passkey is already registered." : "This passkey was refused. Try again, or use another one."
      return try await accountPage(login, visit, problem: problem).response(.badRequest)
    }
    await audit.record(.init("passkey.added", user: user.id, address: settings.source(of: request, context)))
    return try await accountPage(login, visit, notice: "<p>The passkey was added.</p>").response()
  }

  private func register(_ form: FormFields, _ user: User) async throws {
    let client = try Self.octets(form, "client")
    let challenge = try passkeyVerifier.challenge(in: client, for: "create")
    guard try await passkeyChallenges.use(challenge, for: "create " + user.id) else {
      throw PasskeyRefusal.challengeUnknown
    }
    let (data, credential) = try passkeyVerifier.registration(
      attestationObject: try Self.octets(form, "attestation"), clientData: client)
    let typed = form["name"].filter { $0 != "\0" }.prefix(100)
    let name = typed.isEmpty ? "Passkey" : String(typed)
    let isNew = try await users.write(for: user) { session in
      try passkeys.add(credential, data, name: name, userID: user.id, in: session)
    }
    guard isNew else { throw PasskeyRefusal.credentialKnown }
  }

  func removePasskey(
    _ form: FormFields, _ login: Login, _ request: Request, _ context: ProviderContext
  ) async throws -> Response? {
    if try await passkeys.remove(id: try Self.octets(form, "passkey"), of: login.user.id) {
      await audit.record(.init("passkey.removed", user: login.user.id))
    }
    return nil
  }

  // MARK: Logging in

  func logInByPasskey(_ request: Request, _ context: ProviderContext) async throws -> Response {
    let (form, visit) = try await pageForm(request)
    let id = form.values("request").first.flatMap { $0.isEmpty ? nil : $0 }
    if let id, try await !isWaiting(id, visit: visit) { throw Self.interactionOver }
    let address = settings.source(of: request, context)
    let limits = budgets(of: address)
    if let wait = try await limiter.attempt(limits) {
      await audit.record(.init("login.blocked", address: address, detail: "passkey"))
      return try await loginPage(
        visit, interactionID: id, username: "", problem: "Too many attempts. Try again in \(wait) seconds."
      ).response(.tooManyRequests)
    }
    do {
      let user = try await user(provedBy: form, visit)
      try await limiter.succeeded(limits)
      return try await finishLogin(user, methods: ["pop", "user", "mfa"], interactionID: id, request, context)
    } catch let refusal as PasskeyRefusal {
      await audit.record(.init("login.failed", address: address, detail: "passkey \(refusal.rawValue)"))
      return try await loginPage(
        visit, interactionID: id, username: "",
        problem: "This passkey was refused. Try again, or log in with your password."
      )
      .response(.unauthorized)
    }
  }

  /// The user whose passkey has signed this browser's challenge.
  private func user(provedBy form: FormFields, _ visit: Visit) async throws -> User {
    let client = try Self.octets(form, "client")
    let challenge = try passkeyVerifier.challenge(in: client, for: "get")
    guard try await passkeyChallenges.use(challenge, for: "get " + visit.name) else {
      throw PasskeyRefusal.challengeUnknown
    }
    guard let passkey = try await passkeys.passkey(id: try Self.octets(form, "credential")),
      let user = try await users.user(id: passkey.userID), user.isEnabled
    else { throw PasskeyRefusal.credentialUnknown }
    guard try Self.octets(form, "user").elementsEqual(user.id.utf8) else { throw PasskeyRefusal.otherUser }
    let data = try passkeyVerifier.assertion(
      authenticatorData: try Self.octets(form, "authenticator"), clientData: client,
      signature: try Self.octets(form, "signature"), key: passkey.key)
    guard data.isBackupEligible == passkey.isBackupEligible else { throw PasskeyRefusal.backupStateImpossible }
    guard try await passkeys.use(passkey, data) else { throw PasskeyRefusal.counterWentBack }
    return user
  }

  private static func octets(_ form: FormFields, _ name: String) throws(PasskeyRefusal) -> [UInt8] {
    guard let text = form.values(name).first, text.utf8.count <= 16_384, let octets = try? Base64URL.decode(text) else {
      throw .malformed
    }
    return octets
  }
}
