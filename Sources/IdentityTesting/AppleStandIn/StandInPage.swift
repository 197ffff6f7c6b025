import JOSE
import AppleSignInKit

/// The pages that a browser gets to see.
enum StandInPage {
  static func redirect(to url: String) -> HTTPResponseValue {
    HTTPResponseValue(status: 302, headers: HTTPHeaderFields(known: [("Location", url)] + unstored))
  }

  /// A page that posts a form as soon as it is there. Every value is escaped for the attribute it stands in.
  static func posting(_ fields: [(String, String)], to url: String) -> HTTPResponseValue {
    var html = "<!doctype html><title>Continue</title><form method=\"post\" action=\"\(escaped(url))\">"
    for (name, value) in fields {
      html += "<input type=\"hidden\" name=\"\(escaped(name))\" value=\"\(escaped(value))\">"
    }
    html += "<noscript><button>Continue</button></noscript></form><script>document.forms[0].submit()</script>"
    return page(200, html)
  }

  static let error = page(400, "<!doctype html><title>Error</title><p>This app can't be signed in to.</p>")

  private static let unstored = [("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer")]

  private static func page(_ status: Int, _ html: String) -> HTTPResponseValue {
    HTTPResponseValue(
      status: status, headers: HTTPHeaderFields(known: [("Content-Type", "text/html;charset=UTF-8")] + unstored),
      body: Array(html.utf8))
  }

  static func escaped(_ text: String) -> String {
    var escaped: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): escaped += "&amp;".utf8
      case UInt8(ascii: "<"): escaped += "&lt;".utf8
      case UInt8(ascii: ">"): escaped += "&gt;".utf8
      case UInt8(ascii: "\""): escaped += "&quot;".utf8
      case UInt8(ascii: "'"): escaped += "&#39;".utf8
      default: escaped.append(byte)
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }
}
