import Foundation
import Hummingbird
import JOSE

/// A page needs a logged-in user.
struct LoginNeeded: Error, HTTPResponseError {
  var status: HTTPResponse.Status { .seeOther }

  func response(from request: Request, context: some RequestContext) throws -> Response {
    .redirect(to: "/login")
  }
}

extension HTML {
  /// A table that scrolls sideways on a small screen.
  static func table(_ heads: [String], _ rows: [HTML]) -> HTML {
    guard !rows.isEmpty else { return "<p class=\"quiet\">None.</p>" }
    let cells: [HTML] = heads.map { "<th scope=\"col\">\($0)</th>" }
    return """
      <div class="scroll" tabindex="0"><table><thead><tr>\(cells)</tr></thead><tbody>\(rows)</tbody></table></div>
      """
  }
}

extension Provider {
  /// A button that posts one action.
  func button(_ label: String, _ path: String, _ fields: [(String, String)], _ visit: Visit) -> HTML {
    let hidden: [HTML] = fields.map { HTML.hidden($0.0, $0.1) }
    return """
      <form method="post" action="\(path)">\(formField(visit))\(hidden)\
      <button type="submit" class="second small">\(label)</button></form>
      """
  }

  /// A date for people, in UTC.
  static func text(_ date: NumericDate) -> String {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withFullDate, .withSpaceBetweenDateAndTime, .withTime, .withColonSeparatorInTime]
    return formatter.string(from: Date(timeIntervalSince1970: date.secondsSince1970)) + " UTC"
  }
}

/// Text escaped for a path.
enum PathText {
  static func encode(_ text: String) -> String {
    let form: FormFields = ["v": text]
    return form.encodedAsQuery().dropFirst(2).replacingOccurrences(of: "+", with: "%20")
  }
}
