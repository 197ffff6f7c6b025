import Foundation
import PureJOSETestSupport
import StrictJSON
import Testing

/// The result of a thread. Unchecked because it is written before the semaphore is signalled and read after the wait.
private final class Box<Result: Sendable>: @unchecked Sendable {
  var result: Result?
}

@Suite("Hostile input")
struct HostileInputTests {
  /// Runs `body` on a thread with this much stack and waits for it.
  private func onThread<Result: Sendable>(
    stackSize: Int, _ body: @escaping @Sendable () -> Result
  ) -> Result? {
    let box = Box<Result>()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      box.result = body()
      done.signal()
    }
    thread.stackSize = stackSize
    thread.start()
    done.wait()
    return box.result
  }

  @Test(
    "texts of every number of entries around what the scanner has room for at first are read to the last, escapes and all"
  )
  func entryCounts() throws {
    for count in 25...75 {
      let members = (0..<count).map { number -> (String, JSONValue) in
        number.isMultiple(of: 3)
          ? ("\u{1}\(number)", .string("\"\(number)")) : ("n\(number)", .array([1, .string("\(number)")]))
      }
      let object = JSONObject(members)
      #expect(try JSONObject(parsing: object.serialized()) == object)
      let text = String(decoding: object.serialized().dropLast(), as: UTF8.self)
      #expect(parsingError(Array((text + #","\u006e1":0}"#).utf8)) == .duplicateMember)
    }
  }

  @Test("100 000 open brackets are refused on a stack of 64 KiB", arguments: ["[", "{\"a\":", "[[],{\"x\":[", "[ "])
  func deepNesting(_ opening: String) {
    let text = Array(String(repeating: opening, count: 100_000).utf8)
    let code = onThread(stackSize: 64 << 10) { parsingError(text) }
    #expect(code == .limitExceeded)
    let decoderCode = onThread(stackSize: 64 << 10) { () -> JSONError.Code? in
      do {
        _ = try StrictJSONDecoder().decode(JSONValue.self, from: text)
        return nil
      } catch {
        return (error as? JSONError)?.code
      }
    }
    #expect(decoderCode == .limitExceeded)
  }

  @Test("The deepest text that the defaults admit goes through every path on a stack of 64 KiB")
  func deepestAdmitted() {
    let depth = JSONLimits.default.maximumDepth
    let text = Array(
      (String(repeating: "[{\"a\":", count: depth / 2) + "1" + String(repeating: "}]", count: depth / 2)).utf8)
    let isSame = onThread(stackSize: 64 << 10) { () -> Bool in
      guard let value = try? JSONValue(parsing: text), let other = try? JSONValue(parsing: text) else { return false }
      guard let decoded = try? StrictJSONDecoder().decode(JSONValue.self, from: value) else { return false }
      return value == other && value.serialized() == text && value.hashValue == decoded.hashValue
    }
    #expect(isSame == true)
  }

  @Test("The deepest text that any limits admit goes through every path on a stack of 192 KiB")
  func deepestPossible() {
    let text = Array((String(repeating: "[{\"a\":", count: 128) + "1" + String(repeating: "}]", count: 128)).utf8)
    let isSame = onThread(stackSize: 192 << 10) { () -> Bool in
      guard let value = try? JSONValue(parsing: text, limits: JSONLimits(maximumDepth: .max)) else { return false }
      guard let decoded = try? StrictJSONDecoder().decode(JSONValue.self, from: value) else { return false }
      return value.serialized() == text && value == decoded && value.hashValue == decoded.hashValue
    }
    #expect(isSame == true)
  }

  /// A megabyte of JSON, and what must be said to it. The log of the tests shows its name only.
  struct Megabyte: CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let code: JSONError.Code?

    init(_ name: String, _ text: String, _ code: JSONError.Code?) {
      testDescription = name
      self.text = text
      self.code = code
    }
  }

  /// What costs a careless parser quadratic time or much memory.
  static let megabytes: [Megabyte] = {
    func object(_ count: Int, prefix: String) -> String {
      "{" + (0..<count).map { "\"\(prefix)\($0 + 100_000)\":0" }.joined(separator: ",") + "}"
    }
    func array(_ element: String, _ count: Int) -> String {
      "[" + repeatElement(element, count: count).joined(separator: ",") + "]"
    }
    let million = 1_000_000
    return [
      Megabyte("commas", String(repeating: ",", count: million), .malformed),
      Megabyte("quotation marks", String(repeating: "\"", count: million), .malformed),
      Megabyte("backslashes", "\"" + String(repeating: "\\", count: million), .malformed),
      Megabyte("an open string", "\"" + String(repeating: "a", count: million), .malformed),
      Megabyte("white space", String(repeating: " ", count: million), .malformed),
      Megabyte("digits", String(repeating: "9", count: million), .numberOutOfRange),
      Megabyte("a long fraction", "0." + String(repeating: "9", count: million), nil),
      Megabyte("exponent digits", "1e" + String(repeating: "9", count: million), .numberOutOfRange),
      Megabyte("numbers at the edge of Double", array("1.7976931348623157e308", 43_000), nil),
      Megabyte("one object of too many members", object(70_000, prefix: "name"), .limitExceeded),
      Megabyte("objects of 32 members", array(object(32, prefix: "k"), 2500), nil),
      Megabyte("objects of 33 members", array(object(33, prefix: "k"), 2400), nil),
      Megabyte("objects of 512 members", array(object(512, prefix: "k"), 150), nil),
      Megabyte(
        "512 long names that differ at their ends", object(512, prefix: String(repeating: "n", count: 2000)), nil),
      Megabyte(
        "32 long names that differ at their ends", object(32, prefix: String(repeating: "n", count: 30_000)), nil),
      Megabyte("escapes", "\"" + String(repeating: "\\u0041", count: million / 6) + "\"", nil),
      Megabyte("surrogate pairs", "\"" + String(repeating: "\\ud83d\\ude00", count: million / 12) + "\"", nil),
      Megabyte("two-byte characters", "\"" + String(repeating: "é", count: million / 2) + "\"", nil),
      Megabyte("a duplicate at the very end", "{\"a\":" + array("0", 400_000) + ",\"a\":0}", .duplicateMember),
      Megabyte("too many values", array("0", 500_000), .limitExceeded),
    ]
  }()

  @Test("A hostile megabyte is accepted or refused alike by the parser and by JSONDocument", arguments: megabytes)
  func megabyte(_ input: Megabyte) {
    let bytes = Array(input.text.utf8)
    #expect(parsingError(bytes) == input.code)
    let document = Result { () throws(JSONError) in try JSONDocument(parsing: bytes) }
    switch document {
    case .success: #expect(input.code == nil)
    case .failure(let error): #expect(error.code == input.code)
    }
  }

  @Test("Duplicates are found wherever they stand, among few and many", arguments: [2, 3, 31, 32, 33, 34, 100, 512])
  func duplicates(count: Int) {
    let names = (0..<count).map { "n\($0)" }
    let object = { (names: [String]) in "{" + names.map { "\"\($0)\":[{}]" }.joined(separator: ",") + "}" }
    #expect(parsingError(object(names)) == nil)
    for position in Set([0, 1, count / 2, count - 1]) {
      for other in Set([0, 1, count / 2, count - 1]) where other != position && position < count {
        var changed = names
        changed[position] = names[other]
        #expect(parsingError(object(changed)) == .duplicateMember)
        // The same name in another spelling.
        changed[position] = names[other].utf8.map { "\\u00" + String($0, radix: 16) }.joined()
        #expect(parsingError(object(changed)) == .duplicateMember)
      }
    }
  }

  @Test("Names that share their first bytes and their length are told apart, of every length", arguments: 1...24)
  func namesOfOneLength(byteCount: Int) {
    let name = Array(repeating: UInt8(ascii: "a"), count: byteCount)
    let text = { (names: [[UInt8]]) in
      "{" + names.map { "\"\(String(decoding: $0, as: UTF8.self))\":0" }.joined(separator: ",") + "}"
    }
    #expect(parsingError(text([name, name])) == .duplicateMember)
    for place in name.indices {
      var other = name
      other[place] = UInt8(ascii: "b")
      #expect(parsingError(text([name, other])) == nil)
      #expect(parsingError(text([name, other, name])) == .duplicateMember)
      #expect(parsingError(text([name, other, other])) == .duplicateMember)
    }
  }

  @Test("Random bytes never get past the grammar by accident")
  func randomBytes() {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 2..<40, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      guard let value = try? JSONValue(parsing: bytes) else { continue }
      #expect((try? JSONValue(parsing: value.serialized())) == value)
    }
  }
}
