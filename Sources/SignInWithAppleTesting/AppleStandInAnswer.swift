import JOSEHTTP
import SignInWithApple

/// How the stand-in answers an authorization request.
public struct AppleStandInAnswer: Sendable {
  /// What the browser gets: a redirect, a page that posts a form, or an error page.
  public let response: HTTPResponseValue

  /// What the browser then sends to the website: a GET for `query`, a POST for `form_post` and, by the page's script,
  /// for `fragment`. Nil if the request was refused without going back to the website.
  public let callback: HTTPRequestValue?
}
