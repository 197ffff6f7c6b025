import ArgumentParser
import Foundation
import JOSE
import NativeSSOKit
import Synchronization
import OpenIDKit
import OpenIDKitFoundation

/// `app two-apps`: a vendor's mail and chat apps on one device. The user logs in to the first, and the second is logged
/// in without asking.
struct TwoAppsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "two-apps", abstract: "Play two apps that share a login (Native SSO).")

  @OptionGroup var provider: ProviderOptions
  @Option(help: "The first app's client_id.") var mail: String
  @Option(help: "The second app's client_id.") var chat: String
  @Option(help: "The folder that stands for the device's storage.") var folder: String

  func run() async throws {
    let provider = try await provider.connect()
    let mail = try VendorApp("mail", clientID: mail, provider: provider, folder: folder)
    let chat = try VendorApp("chat", clientID: chat, provider: provider, folder: folder)

    let first = try await mail.session.signIn { url in
      print("open \(url)")
      fflush(nil)
      guard let redirect = readLine() else {
        throw ValidationError("enter the address that the browser was redirected to")
      }
      return redirect
    }
    print("mail: \(first.subject) is logged in")

    // No browser: the pair of device secret and ID token that mail has stored identifies the user.
    guard case .signedIn(let second) = await chat.session.signInSilently() else {
      throw ValidationError("chat needs a login in the browser, though mail has one")
    }
    print("chat: \(second.subject) is logged in without a question")
    for app in [mail, chat] { print("\(app.name): \(try await app.whoIsIt()) says the provider") }

    try await chat.session.signOut(.thisApp)
    print("chat: logged out; mail: \(try await mail.whoIsIt()) is still there")
    try await mail.session.signOut(.everywhere)
    try await chat.session.client.allowAutomaticSignIn()
    guard case .loginRequired = await chat.session.signInSilently() else {
      throw ValidationError("chat is logged in, though the device was logged out")
    }
    print("both: logged out, and the next start needs a login")
  }
}

/// One of the vendor's apps: it has its own tokens, and shares the pair.
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
      keys: RemoteKeySet(url: provider.metadata.keySetURL ?? "", plainHTTP: .loopback, transport: provider.send),
      transport: provider.send)
    let preferences = Preferences()
    session = try NativeSSOSession(
      // Not encrypted, because a key in the same folder would protect nothing. An app on Android passes a key.
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
      throw Provider.Missing(description: "\(name): the provider answered with status \(response.status), expected 200")
    }
    return subject
  }
}

/// An app's settings; here they last as long as the program runs.
private final class Preferences: Sendable {
  private let signedOut = Mutex(false)

  var isSignedOut: Bool {
    get { signedOut.withLock { $0 } }
    set { signedOut.withLock { $0 = newValue } }
  }
}
