/// Text of HTML or SVG, in which all that comes from elsewhere is escaped.
struct Markup: ExpressibleByStringInterpolation {
  var text: String

  init(stringLiteral text: String) { self.text = text }
  init(stringInterpolation: Interpolation) { text = stringInterpolation.text }
  init(_ parts: some Sequence<Markup>) { text = parts.map(\.text).joined(separator: "\n") }

  struct Interpolation: StringInterpolationProtocol {
    var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {}
    mutating func appendLiteral(_ literal: String) { text += literal }
    mutating func appendInterpolation(_ markup: Markup) { text += markup.text }
    mutating func appendInterpolation(_ number: Int) { text += String(number) }

    /// A place in a picture, to a tenth of its unit.
    mutating func appendInterpolation(_ number: Double) { text += String((number * 10).rounded() / 10) }

    /// Content, or an attribute's value in double quotes.
    mutating func appendInterpolation(_ content: String) {
      for character in content {
        switch character {
        case "&": text += "&amp;"
        case "<": text += "&lt;"
        case ">": text += "&gt;"
        case "\"": text += "&quot;"
        default: text.append(character)
        }
      }
    }
  }
}
