#if canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
  import AuthenticationServices
  import Foundation
  import Synchronization

  /// Shows a login in the system's browser, over an app's window, and brings the redirect back.
  ///
  /// ```swift
  /// let presenter = WebAuthenticationPresenter(redirectURI: "com.example.app:/cb", anchor: window)
  /// let signIn = try await client.signIn { url in try await presenter.present(url) }
  /// ```
  @MainActor public final class WebAuthenticationPresenter: NSObject, ASWebAuthenticationPresentationContextProviding {
    /// The user closed the browser, or the caller's task was cancelled.
    public struct Cancelled: Error, Sendable {}
    /// The login could not be shown: an address is malformed, or the window is missing.
    public struct NotShown: Error, Sendable {}

    private let redirectURI: String
    private let anchor: ASPresentationAnchor
    private let isEphemeral: Bool
    /// What is shown. The system doesn't keep it alive everywhere.
    private var sessions: [UInt64: ASWebAuthenticationSession] = [:]
    private var lastNumber: UInt64 = 0

    /// A presenter.
    ///
    /// - Parameters:
    ///   - redirectURI: where the provider sends the browser back to: of a scheme of the app's own, or `https` with a
    ///     domain that is associated with the app.
    ///   - anchor: the window that the browser is shown over.
    ///   - isEphemeral: whether the browser shares no cookies with others: then each login asks for the password.
    public init(redirectURI: String, anchor: ASPresentationAnchor, isEphemeral: Bool = false) {
      self.redirectURI = redirectURI
      self.anchor = anchor
      self.isEphemeral = isEphemeral
    }

    /// Shows an address and returns the redirect that ends the login.
    ///
    /// - Throws: ``Cancelled``, ``NotShown``, and errors of `ASWebAuthenticationSession`.
    public func present(_ url: String) async throws -> String {
      guard let location = URL(string: url), let callback else { throw NotShown() }
      let outcome = Outcome()
      // The system may call it on any thread.
      let session = ASWebAuthenticationSession(url: location, callback: callback) { @Sendable redirect, error in
        if let redirect {
          outcome.end(with: .success(redirect.absoluteString))
        } else if let error = error as? ASWebAuthenticationSessionError, error.code != .canceledLogin {
          outcome.end(with: .failure(error))
        } else {
          outcome.end(with: .failure(Cancelled()))
        }
      }
      session.presentationContextProvider = self
      session.prefersEphemeralWebBrowserSession = isEphemeral
      lastNumber += 1
      let number = lastNumber
      sessions[number] = session
      defer { sessions[number] = nil }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          guard outcome.begin(continuation) else { return }
          if !session.start() { outcome.end(with: .failure(NotShown())) }
        }
      } onCancel: {
        // The session is closed on the main actor, before or after the caller goes on.
        outcome.end(with: .failure(Cancelled()))
        Task { @MainActor in self.sessions.removeValue(forKey: number)?.cancel() }
      }
    }

    private var callback: ASWebAuthenticationSession.Callback? {
      guard let parts = URLComponents(string: redirectURI), let scheme = parts.scheme else { return nil }
      guard scheme.lowercased() == "https" else { return .customScheme(scheme) }
      guard let host = parts.host else { return nil }
      return .https(host: host, path: parts.path)
    }

    /// The window that the browser's sheet is attached to.
    public func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
  }

  /// How a login in the browser ends: once, by whatever comes first.
  private final class Outcome: Sendable {
    private struct State {
      var continuation: CheckedContinuation<String, any Error>?
      var end: Result<String, any Error>?
    }

    private let state = Mutex(State())

    /// Takes who waits; false, and the end is told at once, if it has come already.
    func begin(_ continuation: CheckedContinuation<String, any Error>) -> Bool {
      let end = state.withLock { state in
        if state.end == nil { state.continuation = continuation }
        return state.end
      }
      if let end { continuation.resume(with: end) }
      return end == nil
    }

    func end(with result: Result<String, any Error>) {
      let continuation = state.withLock { state in
        defer { state.continuation = nil }
        if state.end == nil { state.end = result }
        return state.continuation
      }
      continuation?.resume(with: result)
    }
  }
#endif
