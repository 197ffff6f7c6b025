import AuthenticationServices
import Foundation
import OpenIDKitFoundation
import AppleSignInKitFoundation

/// Logins in the browser, and credentials of Sign in with Apple.
enum AuthenticationChecks {
  struct Broken: Error {}

  /// On the main actor, where logins are shown; the counts come back.
  @MainActor static func run() async -> Check {
    var check = Check()
    credentials(&check)
    let presenter = WebAuthenticationPresenter(
      redirectURI: "com.example.app:/cb", anchor: ASPresentationAnchor(), isEphemeral: true)
    let url = "https://op.example.com/authorize?state=s"
    ASWebAuthenticationSession.whatTheBrowserDoes = { asked, callback in
      URL(string: callback + "/cb?code=c&from=" + (asked.host ?? "")).map { .success($0) } ?? .failure(Broken())
    }
    let redirect = try? await presenter.present(url)
    check.expect(redirect == "com.example.app:/cb?code=c&from=op.example.com", "the redirect comes back")
    let web = WebAuthenticationPresenter(redirectURI: "https://app.example.com/cb", anchor: ASPresentationAnchor())
    ASWebAuthenticationSession.whatTheBrowserDoes = { _, callback in
      URL(string: callback).map { .success($0) } ?? .failure(Broken())
    }
    check.expect((try? await web.present(url)) == "https://app.example.com/cb", "a redirect to the app's domain")
    for redirectURI in ["", "no scheme", "https:/cb"] {
      let none = WebAuthenticationPresenter(redirectURI: redirectURI, anchor: ASPresentationAnchor())
      check.expect(
        await thrown { try await none.present(url) } is WebAuthenticationPresenter.NotShown, "no redirect, no login")
    }

    ASWebAuthenticationSession.whatTheBrowserDoes = { _, _ in .failure(ASWebAuthenticationSessionError(.canceledLogin))
    }
    check.expect(await thrown { try await presenter.present(url) } is WebAuthenticationPresenter.Cancelled, "cancelled")
    ASWebAuthenticationSession.whatTheBrowserDoes = { _, _ in
      .failure(ASWebAuthenticationSessionError(.presentationContextInvalid))
    }
    check.expect(
      await thrown { try await presenter.present(url) } as? ASWebAuthenticationSessionError
        == ASWebAuthenticationSessionError(.presentationContextInvalid), "the system's error comes through")

    // Without a window there is nothing to wait for.
    ASWebAuthenticationSession.hasWindow = false
    check.expect(await thrown { try await presenter.present(url) } is WebAuthenticationPresenter.NotShown, "no window")
    ASWebAuthenticationSession.hasWindow = true

    // The user does nothing, and the caller's task is cancelled: before and after the browser is there.
    ASWebAuthenticationSession.whatTheBrowserDoes = nil
    for waits in [false, true] {
      let task = Task { @MainActor in try await presenter.present(url) }
      if waits { await turns { !ASWebAuthenticationSession.waiting.isEmpty } }
      task.cancel()
      check.expect(
        await thrown { try await task.value } is WebAuthenticationPresenter.Cancelled, "a cancelled task ends the login"
      )
      await turns { ASWebAuthenticationSession.waiting.isEmpty }
      check.expect(ASWebAuthenticationSession.waiting.isEmpty, "a cancelled task closes the browser")
      ASWebAuthenticationSession.waiting = []
    }
    return check
  }

  /// Gives others their turn until something holds, but not for ever.
  @MainActor private static func turns(until holds: () -> Bool) async {
    for _ in 0..<100_000 where !holds() { await Task.yield() }
  }

  @MainActor private static func thrown(_ body: @MainActor () async throws -> String) async -> (any Error)? {
    do {
      _ = try await body()
      return nil
    } catch {
      return error
    }
  }

  private static func credentials(_ check: inout Check) {
    var name = PersonNameComponents()
    name.givenName = "Jane"
    func credential(_ token: Data?, _ code: Data?) -> AppleCredential? {
      AppleCredential(
        ASAuthorizationAppleIDCredential(
          user: "u", state: "s", identityToken: token, authorizationCode: code, email: "j@example.com", fullName: name,
          realUserStatus: .likelyReal))
    }
    let made = credential(Data("a.b.c".utf8), Data("code".utf8))
    check.expect(
      made
        == AppleCredential(
          identityToken: "a.b.c", authorizationCode: "code", user: "u", givenName: "Jane", email: "j@example.com",
          state: "s"), "a credential keeps its members")
    let (good, bad) = (Data("c".utf8), Data([0xFF]))
    for (token, code) in [(nil, good), (good, nil), (Data(), good), (good, Data()), (bad, good), (good, bad)] {
      check.expect(credential(token, code) == nil, "a credential without token or code is none")
    }
    check.expect(made?.sharedUser?.givenName == "Jane", "the name gets to the server")
    check.expect(made.map { !"\($0)".contains("a.b.c") } == true, "descriptions show no token")
  }
}
