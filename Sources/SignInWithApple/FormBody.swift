import HTTPValues
import JOSE
import StrictJSON

/// `application/x-www-form-urlencoded` fields, each name at most once.
struct FormBody: Sendable {
  private let fields: FormFields

  /// The value of a field.
  subscript(_ name: String) -> String? { fields[name] }

  /// Reads encoded fields.
  ///
  /// - Throws: ``SignInWithAppleError/Code/limitExceeded``, ``SignInWithAppleError/Code/parameterDuplicated``,
  ///   ``SignInWithAppleError/Code/malformed``.
  static func parse(_ bytes: some Collection<UInt8>, limit: Int) throws(SignInWithAppleError) -> FormBody {
    guard bytes.count <= limit else {
      throw SignInWithAppleError(.limitExceeded, "the form is too long")
    }
    do throws(FormError) {
      return FormBody(fields: try FormFields(parsing: bytes))
    } catch {
      throw SignInWithAppleError(.parameterDuplicated, "not a form, or a field is there twice")
    }
  }

  /// Reads the form that a request posted.
  ///
  /// - Throws: as ``parse(_:limit:)``, and before that ``SignInWithAppleError/Code/methodNotAllowed``,
  ///   ``SignInWithAppleError/Code/contentTypeInvalid``.
  static func posted(by request: HTTPRequestValue, limit: Int) throws(SignInWithAppleError) -> FormBody {
    guard request.method.hasSameBytes(as: "POST") else {
      throw SignInWithAppleError(.methodNotAllowed, "this message comes by POST")
    }
    guard request.isOfMediaType("application/x-www-form-urlencoded") else {
      throw SignInWithAppleError(.contentTypeInvalid, "the body is not declared as a form", name: "Content-Type")
    }
    return try parse(request.body, limit: limit)
  }

  /// A POST of fields.
  static func post(_ fields: [(String, String)], to url: String) -> HTTPRequestValue {
    var form = FormFields()
    for (name, value) in fields { form.append(name, value) }
    return HTTPRequestValue(
      method: "POST", url: url,
      headers: HTTPHeaderFields([
        ("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded"),
        ("User-Agent", "PureJOSE"),
      ]),
      body: form.encoded())
  }
}

extension HTTPRequestValue {
  /// Whether `Content-Type` is a media type, whatever its parameters.
  func isOfMediaType(_ mediaType: String) -> Bool {
    guard let value = headers["Content-Type"] else { return false }
    let type = value.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
    return String(Substring(type)).asciiLowercased.hasSameBytes(as: mediaType)
  }
}
