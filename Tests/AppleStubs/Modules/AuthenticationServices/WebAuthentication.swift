// Apple documents these.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// A window.
@MainActor open class ASPresentationAnchor: NSObject {}

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: AnyObject {
  func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

public struct ASWebAuthenticationSessionError: Error, Hashable, Sendable {
  public enum Code: Int, Sendable { case canceledLogin = 1, presentationContextNotProvided, presentationContextInvalid }
  public let code: Code
  public init(_ code: Code) { self.code = code }
}

/// A login in the system's browser, of which nothing says on which thread it lives: so it is not `Sendable` here. What
/// the browser does is ``whatTheBrowserDoes``'s, in tests, and all of it on the main thread.
open class ASWebAuthenticationSession: NSObject {
  public typealias CompletionHandler = (URL?, (any Error)?) -> Void

  public final class Callback: NSObject {
    public let text: String
    private init(_ text: String) { self.text = text }
    public class func customScheme(_ scheme: String) -> Callback { Callback(scheme + ":") }
    public class func https(host: String, path: String) -> Callback { Callback("https://" + host + path) }
  }

  /// What comes of a session that was started, and from where; nil for nothing yet.
  nonisolated(unsafe) public static var whatTheBrowserDoes: (@Sendable (URL, String) -> Result<URL, any Error>)?
  /// Whether there is something to show a session over.
  nonisolated(unsafe) public static var hasWindow = true
  /// The sessions that wait for their browser.
  nonisolated(unsafe) public static var waiting: [ASWebAuthenticationSession] = []

  public let url: URL
  public let callback: Callback
  public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
  public var prefersEphemeralWebBrowserSession = false
  private var completionHandler: CompletionHandler?

  public init(url: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {
    self.url = url
    self.callback = callback
    self.completionHandler = completionHandler
  }

  open func start() -> Bool {
    guard Self.hasWindow, let provider = presentationContextProvider else { return false }
    let sent = Sent(value: (provider, self))
    MainActor.assumeIsolated { _ = sent.value.0.presentationAnchor(for: sent.value.1) }
    guard let does = Self.whatTheBrowserDoes else {
      Self.waiting.append(self)
      return true
    }
    switch does(url, callback.text) {
    case .success(let url): end(url, nil)
    case .failure(let error): end(nil, error)
    }
    return true
  }

  open func cancel() {
    Self.waiting.removeAll { $0 === self }
    end(nil, ASWebAuthenticationSessionError(.canceledLogin))
  }

  private func end(_ url: URL?, _ error: (any Error)?) {
    let handler = completionHandler
    completionHandler = nil
    handler?(url, error)
  }

  /// Everything is on the main thread already.
  private struct Sent: @unchecked Sendable {
    let value: (any ASWebAuthenticationPresentationContextProviding, ASWebAuthenticationSession)
  }
}
