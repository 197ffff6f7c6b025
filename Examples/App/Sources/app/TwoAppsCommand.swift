import ArgumentParser
import Foundation
import JOSE
import NativeSSOKit
import Synchronization
import OpenIDKit
import OpenIDKitFoundation

/// `app two-apps`: a vendor's mail and chat apps on one device. The user logs in to the first, and the second is in
/// without asking.
struct TwoAppsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "two-apps", abstract: "Play two apps that share a login (Native SSO).")

  @OptionGroup var provider: ProviderOptions
  @Option(help: "The first app's name at the provider.") var mail: String
  @Option(help: "The second app's.") var chat: String
  @Option(help: "Where the device keeps what the apps keep.") var folder: String

  func run() async throws {
    let provider = try await provider.connect()
    let mail = try VendorApp("mail", clientID: mail, provider: provider, folder: folder)
    let chat = try VendorApp("chat", clientID: chat, provider: provider, folder: folder)

    let first = try await mail.session.signIn { url in
      print("open \(url)")
      fflush(nil)
      guard let redirect = readLine() else { throw ValidationError("where was the browser sent to?") }
      return redirect
    }
    print("mail: \(first.subject) is logged in")

    // No browser: the pair of device secret and ID token that mail has left says who it is.
    guard case .signedIn(let second) = await chat.session.signInSilently() else {
      throw ValidationError("chat had to ask")
    }
    print("chat: \(second.subject) is logged in, and nobody was asked")
    for app in [mail, chat] { print("\(app.name): \(try await app.whoIsIt()) says the provider") }

    try await chat.session.signOut(.thisApp)
    print("chat: logged out; mail: \(try await mail.whoIsIt()) is still there")
    try await mail.session.signOut(.everywhere)
    try await chat.session.client.allowAutomaticSignIn()
    guard case .loginRequired = await chat.session.signInSilently() else {
      throw ValidationError("chat is in, though the device has been logged out")
    }
    print("both: logged out, and asked for a login next time")
  }
}

/// One of the vendor's apps: tokens of its own, and the pair that belongs to all.
struct VendorApp: Sendable {
  let name: String
  let session: NativeSSOSession
  private let api: RequestAuthorizer
  private let userinfo: String

  init(_ name: String, clientID: String, provider: Provider, folder: String) throws {
    for part in ["shared", name] {
      try FileManager.default.createDirectory(
        atPath: folder + "/" + part, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    let configuration = NativeSSOClientConfiguration(
      clientID: clientID, redirectURI: "com.example.\(name):/callback",
      metadata: provider.metadata,
      scopes: ["openid", "profile"],
      keys: RemoteKeySet(url: provider.metadata.keySetURL, plainHTTP: .loopback, transport: provider.send),
      transport: provider.send)
    let preferences = Preferences()
    session = try NativeSSOSession(
      // In the clear, because a key in the same folder would guard nothing. An app on Android gives one.
      configuration, pairs: try FileSecretStore(directory: folder + "/shared", name: "pair", key: nil),
      tokens: try FileSecretStore(directory: folder + "/" + name, key: nil),
      signOut: SignOutMemory(load: { preferences.isSignedOut }, save: { preferences.isSignedOut = $0 }))
    api = RequestAuthorizer(manager: session.manager, transport: provider.send)
    userinfo = provider.metadata.userInfoEndpoint ?? ""
    self.name = name
  }

  /// A call with the app's token.
  func whoIsIt() async throws -> String {
    let response = try await api.send(HTTPRequestValue(method: "GET", url: userinfo))
    guard response.status == 200, let subject = try JSONObject(parsing: response.body)["sub"]?.stringValue else {
      throw Provider.Missing(description: "\(name): the provider answers \(response.status)")
    }
    return subject
  }
}

/// What an app remembers of its user's wishes; here as long as the program runs.
private final class Preferences: Sendable {
  private let signedOut = Mutex(false)

  var isSignedOut: Bool {
    get { signedOut.withLock { $0 } }
    set { signedOut.withLock { $0 = newValue } }
  }
}
