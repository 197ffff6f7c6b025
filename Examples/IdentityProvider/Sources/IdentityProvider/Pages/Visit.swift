import HTTPTypes
import Hummingbird
import JOSE
import JOSEHummingbird
import PureCrypto

/// A browser, before and after a login: ties forms and waiting requests to it.
package struct Visit: Sendable {
  static let cookie = HostCookie("visit")

  /// A random name, which an attacker can't guess.
  package let name: String
  /// Whether the browser still needs the cookie.
  let isNew: Bool

  package init(_ request: Request) {
    if let name = Self.cookie.value(in: request), (20...100).contains(name.utf8.count) {
      (self.name, isNew) = (name, false)
    } else {
      (name, isNew) = (RandomText.make(), true)
    }
  }

  /// The response, with the cookie if the browser needs it.
  func remembered(in response: Response) -> Response {
    guard isNew else { return response }
    var response = response
    Self.cookie.set(name, in: &response)
    return response
  }
}

extension Provider {
  /// The token that the provider's own forms must send, so that no other site can post them.
  func formToken(_ visit: Visit) -> String { secrets.nonceCode.text(of: "form \(visit.name)") }

  /// The hidden field of a form.
  func formField(_ visit: Visit) -> HTML { .hidden("csrf", formToken(visit)) }

  /// The fields of a form that one of the provider's pages has posted.
  ///
  /// - Throws: ``PageRefusal`` for any other form.
  func pageForm(_ request: Request) async throws -> (form: FormFields, visit: Visit) {
    let visit = Visit(request)
    if let name = HTTPField.Name("Sec-Fetch-Site"), let site = request.headers[name], site != "same-origin" {
      throw Self.forged
    }
    guard let form = try? await HTTPRequestValue(request, baseURL: settings.issuer).form() else {
      throw PageRefusal(text: "The form could not be read. Go back, reload the page and try again.")
    }
    guard !visit.isNew || form.values("csrf").isEmpty else { throw Self.noCookie }
    guard !visit.isNew, ConstantTime.equal(form["csrf"].utf8, formToken(visit).utf8) else {
      throw Self.forged
    }
    return (form, visit)
  }

  private static var forged: PageRefusal {
    PageRefusal(
      status: .forbidden, code: "form_expired",
      text: "This form is too old, or came from another site. Go back, reload the page and try again.")
  }

  /// The browser didn't send the cookie that an earlier page has set.
  static var noCookie: PageRefusal {
    PageRefusal(
      status: .forbidden, code: "no_cookie",
      text: "Your browser sent no cookie for this site, or you began in another browser. Allow cookies for this site, "
        + "go back to where you came from and try again.")
  }

  /// The fields of a request's query.
  func query(_ request: Request) throws -> FormFields {
    guard let fields = try? FormFields(decoding: Array((request.uri.query ?? "").utf8), acceptsDuplicates: true) else {
      throw PageRefusal(text: "The address of this page is malformed. Go back to where you came from and try again.")
    }
    return fields
  }
}
