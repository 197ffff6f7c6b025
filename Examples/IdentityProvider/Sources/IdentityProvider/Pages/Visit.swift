import HTTPTypes
import Hummingbird
import JOSE
import JOSEHummingbird
import PureCrypto

/// One browser, before anybody has logged in and after: ties forms and waiting requests to it.
package struct Visit: Sendable {
  static let cookie = HostCookie("visit")

  /// A name that nobody can guess.
  package let name: String
  /// Whether the browser has to be told.
  let isNew: Bool

  package init(_ request: Request) {
    if let name = Self.cookie.value(in: request), (20...100).contains(name.utf8.count) {
      (self.name, isNew) = (name, false)
    } else {
      (name, isNew) = (RandomText.make(), true)
    }
  }

  /// An answer that sees to it that the browser is known from now on.
  func remembered(in response: Response) -> Response {
    guard isNew else { return response }
    var response = response
    Self.cookie.set(name, in: &response)
    return response
  }
}

extension Provider {
  /// What a form of the provider's own must bring, so that no other site can post it.
  func formToken(_ visit: Visit) -> String { secrets.nonceCode.text(of: "form \(visit.name)") }

  /// The hidden field of a form.
  func formField(_ visit: Visit) -> HTML { .hidden("csrf", formToken(visit)) }

  /// The fields of a form that one of the provider's pages has posted.
  ///
  /// - Throws: ``PageRefusal`` for any other.
  func pageForm(_ request: Request) async throws -> (form: FormFields, visit: Visit) {
    let visit = Visit(request)
    if let name = HTTPField.Name("Sec-Fetch-Site"), let site = request.headers[name], site != "same-origin" {
      throw Self.forged
    }
    guard let form = try? await HTTPRequestValue(request, baseURL: settings.issuer).form() else {
      throw PageRefusal(text: "The form could not be read.")
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
      text: "This form was too old, or came from another site. Go back, reload the page and try again.")
  }

  /// A page of ours has set a cookie, which didn't come back.
  static var noCookie: PageRefusal {
    PageRefusal(
      status: .forbidden, code: "no_cookie",
      text: "Your browser kept no cookie of this site, or this began in another browser. Allow cookies for this site, "
        + "go back to where you came from and try again.")
  }

  /// The fields of a request's query; an empty one has none.
  func query(_ request: Request) throws -> FormFields {
    guard let fields = try? FormFields(decoding: Array((request.uri.query ?? "").utf8), acceptsDuplicates: true) else {
      throw PageRefusal(text: "The address could not be read.")
    }
    return fields
  }
}
