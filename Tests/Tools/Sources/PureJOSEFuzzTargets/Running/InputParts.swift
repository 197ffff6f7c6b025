/// An input of several parts, separated by FF, which stands in no UTF-8 text.
struct InputParts {
  private let parts: [[UInt8]]

  init(_ input: [UInt8]) {
    parts = input.split(separator: 0xFF, omittingEmptySubsequences: false).map(Array.init)
  }

  /// A part, or no octets where the input has fewer.
  subscript(_ index: Int) -> [UInt8] { index < parts.count ? parts[index] : [] }

  /// A part as text, whatever its octets.
  func text(_ index: Int) -> String { String(decoding: self[index], as: UTF8.self) }

  /// The input that has these parts.
  static func joined(_ parts: [UInt8]...) -> [UInt8] { Array(parts.joined(separator: [0xFF])) }

  static func joined(_ parts: String...) -> [UInt8] { Array(parts.map { Array($0.utf8) }.joined(separator: [0xFF])) }
}
