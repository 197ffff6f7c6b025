import Configuration
import Foundation

/// Reads an operator's settings, each by one rule: a value that isn't in its form keeps the server from starting, since
/// a default in its place would be in force unseen.
package struct SettingReader {
  private let reader: ConfigReader
  private let prefix: String

  /// - Parameters:
  ///   - reader: of the variables behind the prefix.
  ///   - prefix: what their names begin with, such as `IDP`.
  package init(_ reader: ConfigReader, prefix: String = "IDP") {
    (self.reader, self.prefix) = (reader, prefix)
  }

  /// The settings whose names begin with a further word.
  package func scoped(to word: String) -> SettingReader {
    SettingReader(reader.scoped(to: ConfigKey(word)), prefix: "\(prefix)_\(word.uppercased())")
  }

  /// What a setting is called in the environment.
  package func name(_ key: String) -> String { "\(prefix)_" + key.uppercased().replacing(".", with: "_") }

  /// A text of 1 to 4096 octets without control characters; nil if the variable isn't set.
  package func text(_ key: String, isSecret: Bool = false) throws(StartRefusal) -> String? {
    guard let text = reader.string(forKey: ConfigKey(key), isSecret: isSecret) else { return nil }
    guard !text.isEmpty, text.utf8.count <= 4096,
      !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else {
      throw StartRefusal("\(name(key)) must be one line of 1 to 4096 octets: give it a value, or remove it.")
    }
    return text
  }

  /// A whole number.
  package func count(
    _ key: String, in range: ClosedRange<Int>, default: Int, unit: String
  ) throws(StartRefusal) -> Int {
    guard let text = try text(key) else { return `default` }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(text), range.contains(count) else {
      throw refusal(key, text, "a whole number of \(unit) from \(range.lowerBound) to \(range.upperBound)")
    }
    return count
  }

  /// A number of seconds, with or without a fraction.
  package func seconds(
    _ key: String, in range: ClosedRange<Double>, default: Double
  ) throws(StartRefusal) -> Double {
    guard let text = try text(key) else { return `default` }
    let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    guard isNumber, let seconds = Double(text), range.contains(seconds) else {
      let (lowest, highest) = (Int(range.lowerBound), Int(range.upperBound))
      throw refusal(key, text, "a number of seconds from \(lowest) to \(highest), without a unit")
    }
    return seconds
  }

  /// `true` or `false`.
  package func flag(_ key: String, default: Bool) throws(StartRefusal) -> Bool {
    guard let text = try text(key) else { return `default` }
    switch text.lowercased() {
    case "true", "yes", "1": return true
    case "false", "no", "0": return false
    default: throw refusal(key, text, "true or false")
    }
  }

  /// Words between spaces, each of which has a form.
  package func words(
    _ key: String, _ form: String, default: [String], _ isLegal: (String) -> Bool
  ) throws(StartRefusal) -> [String] {
    guard let text = try text(key) else { return `default` }
    let words = text.split(separator: " ").map(String.init)
    guard !words.isEmpty, words.allSatisfy(isLegal) else { throw refusal(key, text, "\(form), between spaces") }
    return words
  }

  /// The text of a file that a setting names.
  package func file(_ key: String) throws(StartRefusal) -> (path: String, text: String)? {
    guard let path = try text(key) else { return nil }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw StartRefusal("\(name(key)) names \(path.visible(asASCII: true)), which can't be read.")
    }
    return (path, String(decoding: data, as: UTF8.self))
  }

  /// Makes something of a setting's value, whose refusal names the setting.
  package func made<Value>(of key: String, _ make: () throws -> Value) throws(StartRefusal) -> Value {
    do {
      return try make()
    } catch {
      throw StartRefusal("\(name(key)): \(error)")
    }
  }

  /// Why a value is refused.
  package func refusal(_ key: String, _ text: String, _ form: String) -> StartRefusal {
    StartRefusal("\(name(key)) is \(text.visible(asASCII: true)), and must be \(form).")
  }
}
