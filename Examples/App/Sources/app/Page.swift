import HTTPTypes
import Hummingbird
import NIOCore

/// The site's pages: without a script, and without anything from other sites.
enum Page {
  enum Content {
    case stranger
    case user(name: String, email: String?)
    case cardAsked(audience: String, nonce: String)
    case card(name: String, isAlone: Bool)
    case trouble(String)
  }

  static let style = Response(
    status: .ok, headers: [.contentType: "text/css; charset=utf-8", .cacheControl: "max-age=3600"],
    body: ResponseBody(
      byteBuffer: ByteBuffer(
        string: """
          :root { color-scheme: light dark; --text: #1b1f24; --page: #f6f7f9; --card: #fff; --accent: #1b5fb8; }
          @media (prefers-color-scheme: dark) {
            :root { --text: #e8eaed; --page: #14171b; --card: #1e2228; --accent: #9cc4ff; }
          }
          body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); }
          main { max-width: 26rem; margin: 12vh auto; padding: 2rem; border-radius: .75rem; background: var(--card); }
          h1 { margin-top: 0; font-size: 1.5rem; }
          a, button { display: inline-block; padding: .6rem 1.2rem; border: 0; border-radius: .5rem; font: inherit;
            font-weight: 600; text-decoration: none; color: var(--card); background: var(--accent); cursor: pointer; }
          textarea { box-sizing: border-box; width: 100%; font: .9rem/1.4 ui-monospace, monospace; }
          code { overflow-wrap: anywhere; }
          a:focus-visible, button:focus-visible { outline: 3px solid var(--text); outline-offset: 2px; }
          """)))

  /// - Parameter formTargets: where else a form's redirect may lead, which the content security policy must allow too.
  static func response(_ content: Content, formTargets: String) -> Response {
    let (kind, title, body, status): (String, String, String, HTTPResponse.Status) =
      switch content {
      case .stranger:
        (
          "stranger", "Welcome",
          "<p>You are not logged in.</p><p><a href=\"/login\">Log in</a></p>"
            + "<p><a href=\"/card\">Show an employee card</a></p>", .ok
        )
      case .cardAsked(let audience, let nonce):
        (
          "card-asked", "Show your employee card",
          "<p>Let your wallet show your name, and nothing else, to <code data-audience>\(escaped(audience))</code> with "
            + "the nonce <code data-nonce>\(escaped(nonce))</code>, and paste what it makes.</p>"
            + "<form method=\"post\" action=\"/card\"><label for=\"card\">The presentation</label>"
            + "<textarea id=\"card\" name=\"card\" rows=\"8\" required spellcheck=\"false\"></textarea>"
            + "<p><button>Show it</button></p></form>", .ok
        )
      case .card(let name, let isAlone):
        (
          "card", "Hello, \(name)",
          "<p>The provider says that you belong to the company.</p>"
            + (isAlone ? "" : "<p>You have shown more than your name, which wasn’t asked for.</p>"), .ok
        )
      case .user(let name, let email):
        (
          "user", "Hello, \(name)",
          "<p>You are logged in\(email.map { " as <strong>\(escaped($0))</strong>" } ?? "").</p>"
            + "<form method=\"post\" action=\"/logout\"><button>Log out</button></form>", .ok
        )
      case .trouble(let text):
        ("trouble", "That didn’t work", "<p>\(escaped(text))</p><p><a href=\"/\">Back</a></p>", .badRequest)
      }
    let html = """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>\(escaped(title))</title><link rel="stylesheet" href="/style.css"></head>
      <body><main data-page="\(kind)"><h1>\(escaped(title))</h1>\(body)</main></body></html>
      """
    let policy =
      "default-src 'none'; style-src 'self'; form-action 'self' \(formTargets); base-uri 'none'; frame-ancestors 'none'"
    var headers: HTTPFields = [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"]
    for (name, value) in [
      ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"),
    ] {
      if let name = HTTPField.Name(name) { headers[name] = value }
    }
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
  }
}
