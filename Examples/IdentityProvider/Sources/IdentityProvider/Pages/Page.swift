import HTTPTypes
import Hummingbird
import NIOCore

/// A page of the provider.
struct Page: Sendable {
  /// The title.
  var title: String
  /// Which page it is, for tests: `data-page` of the main element.
  var name: String
  var body: HTML
  /// The navigation links, for users who are logged in.
  var navigation: [(label: String, path: String)] = []
  /// Whether answers to its forms may lead to other sites, such as to a client with a code.
  var formsLeadElsewhere = false
  /// The path of its script; nil for none.
  var script: String?
  /// The address that the browser loads next by itself.
  var next: String?
  /// The delay before that, in seconds.
  var delay = 0

  /// The script of pages whose forms use an authenticator.
  static let passkeyScript = "/passkey.js"

  func response(_ status: HTTPResponse.Status = .ok) -> Response {
    let links = navigation.map { link in "<a href=\"\(link.path)\">\(link.label)</a>" as HTML }
    let bar: HTML = navigation.isEmpty ? "" : "<nav aria-label=\"Main\">\(links)</nav>"
    let refresh: HTML? = next.map { "<meta http-equiv=\"refresh\" content=\"\(delay); url=\($0)\">" }
    let script: HTML? = script.map { "<script src=\"\($0)\" defer></script>" }
    let page: HTML = """
      <!doctype html>
      <html lang="en">
      <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">\
      <meta name="color-scheme" content="light dark">\(refresh)<title>\(title)</title>\
      <link rel="stylesheet" href="/provider.css">\(script)</head>
      <body>\(bar)<main data-page="\(name)"><h1>\(title)</h1>
      \(body)
      </main></body>
      </html>

      """
    // Chromium applies `form-action` to every redirect after a form, so it is left out where a redirect leads to a
    // client.
    let actions = formsLeadElsewhere ? "" : "; form-action 'self'"
    var headers: HTTPFields = [
      .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
      .contentSecurityPolicy: "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; "
        + "object-src 'none'; frame-ancestors 'none'" + (self.script == nil ? "" : "; script-src 'self'") + actions,
    ]
    if let frames = HTTPField.Name("X-Frame-Options") { headers[frames] = "DENY" }
    return Response(
      status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: page.markup)))
  }

  /// An error page.
  static func error(_ text: String, status: HTTPResponse.Status = .badRequest, name: String = "invalid_request")
    -> Response
  {
    Page(
      title: "This didn't work", name: "error",
      body: "<p role=\"alert\">\(text)</p><p class=\"quiet\">Error: <code>\(name)</code></p>"
    ).response(status)
  }
}

extension HTML {
  /// A line that screen readers read at once.
  static func alert(_ text: String?) -> HTML {
    text.map { "<p role=\"alert\" id=\"problem\">\($0)</p>" } ?? ""
  }

  /// A field with its label.
  ///
  /// - Parameter id: needed if another form of the page has a field of the same name.
  static func field(
    _ label: String, name: String, id: String? = nil, type: String = "text", value: String = "",
    autocomplete: String = "off", isRequired: Bool = true, hint: String? = nil, more: HTML = ""
  ) -> HTML {
    let id = id ?? name
    let required: HTML = isRequired ? " required" : ""
    let described: HTML? = hint.map { _ in " aria-describedby=\"\(id)-hint\"" }
    let note: HTML? = hint.map { "<p class=\"quiet\" id=\"\(id)-hint\">\($0)</p>" }
    return """
      <p class="field"><label for="\(id)">\(label)</label><input id="\(id)" name="\(name)" type="\(type)" \
      value="\(value)" autocomplete="\(autocomplete)"\(required)\(described)\(more)></p>\(note)
      """
  }

  static func hidden(_ name: String, _ value: String) -> HTML {
    "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
  }
}
