import StrictJSON
import Testing

@Suite("Value trees")
struct ValueTests {
  @Test("Literals make values")
  func literals() throws {
    let value: JSONValue = ["a": 1, "b": [true, nil, "x", -2.5], "c": [:], "d": []]
    #expect(value.text() == #"{"a":1,"b":[true,null,"x",-2.5],"c":{},"d":[]}"#)
    let subject = "me"
    #expect(try parsed("\"hello me\"") == "hello \(subject)" as JSONValue)
    let duplicate: JSONObject = ["a": 1, "b": 2, "a": 3]
    #expect(JSONValue.object(duplicate).text() == #"{"a":3,"b":2}"#)
  }

  @Test("Strings are compared by bytes")
  func bytesNotCanonicalEquivalence() throws {
    let composed: JSONValue = "\u{E9}"
    let decomposed: JSONValue = "e\u{301}"
    #expect(composed != decomposed)
    #expect("\u{212A}" as JSONValue != "K" as JSONValue)
    #expect(Set([composed, decomposed, "\u{E9}"]).count == 2)
    let object = try JSONObject(parsing: "{\"é\":1,\"e\u{301}\":2}".utf8)
    #expect(object.count == 2)
    #expect(object["\u{E9}"] == 1)
    #expect(object["e\u{301}"] == 2)
    #expect(try JSONObject(parsing: #"{"\u212a":1}"#.utf8)["K"] == nil)
  }

  @Test("Objects are equal in any order, arrays only in one")
  func equality() throws {
    #expect(try parsed(#"{"a":1,"b":[1,2]}"#) == parsed(#"{"b":[1,2],"a":1}"#))
    #expect(try parsed(#"{"a":1,"b":[1,2]}"#).hashValue == parsed(#"{"b":[1,2],"a":1}"#).hashValue)
    #expect(try parsed(#"{"a":1}"#) != parsed(#"{"a":2}"#))
    #expect(try parsed(#"{"a":1}"#) != parsed(#"{"b":1}"#))
    #expect(try parsed(#"{"a":1}"#) != parsed(#"{"a":1,"b":1}"#))
    #expect(try parsed(#"{"a":1,"b":2}"#) != parsed(#"{"b":1,"a":2}"#))
    #expect(try parsed("[1,2]") != parsed("[2,1]"))
    let different: [JSONValue] = [nil, true, false, 0, 1, "", "0", "null", [], [[]], [nil], [:], ["": nil]]
    for (position, value) in different.enumerated() {
      for (other, otherValue) in different.enumerated() { #expect((value == otherValue) == (position == other)) }
    }
    #expect(Set(different).count == different.count)
  }

  @Test("Members can be read, set, replaced in place and removed")
  func members() {
    var object: JSONObject = ["a": 1, "b": nil]
    #expect(object["a"] == 1)
    #expect(object["b"] == JSONValue.null)
    #expect(object["c"] == nil)
    #expect(object.contains("b"))
    #expect(!object.contains("c"))
    object["c"] = 3
    object["a"] = "one"
    #expect(object.names == ["a", "b", "c"])
    object["b"] = nil
    #expect(object.names == ["a", "c"])
    object["b"] = .some(nil)
    #expect(object.names == ["a", "c", "b"])
    object["none"] = nil
    #expect(object.count == 3)
    #expect(!object.isEmpty)
    #expect(JSONObject().isEmpty)
    #expect(object.members.map(\.name) == ["a", "c", "b"])
    #expect(object.members[0].value == "one")
    #expect(JSONObject([("x", 1), ("y", 2)]).names == ["x", "y"])
  }

  @Test("A text that is no object is refused as one")
  func objectOnly() {
    for text in ["[]", "1", "null", "\"{}\""] {
      #expect(throws: JSONError(.typeMismatch, "")) { try JSONObject(parsing: text.utf8) }
    }
    #expect(throws: JSONError(.malformed, "")) { try JSONObject(parsing: "{".utf8) }
  }

  @Test("Accessors answer for their own type only")
  func accessors() throws {
    let values: [JSONValue] = [nil, true, 1, "x", [1], ["a": 1]]
    #expect(values.map(\.isNull) == [true, false, false, false, false, false])
    #expect(values.map(\.boolValue) == [nil, true, nil, nil, nil, nil])
    #expect(values.map(\.int64Value) == [nil, nil, 1, nil, nil, nil])
    #expect(values.map(\.doubleValue) == [nil, nil, 1, nil, nil, nil])
    #expect(values.map { $0.numberValue?.literal } == [nil, nil, "1", nil, nil, nil])
    #expect(values.map(\.stringValue) == [nil, nil, nil, "x", nil, nil])
    #expect(values.map(\.arrayValue) == [nil, nil, nil, nil, [1], nil])
    #expect(values.map(\.objectValue) == [nil, nil, nil, nil, nil, ["a": 1]])
  }

  @Test("Typed members tell absent, null and mistyped apart")
  func typedMembers() throws {
    let object: JSONObject = [
      "string": "s", "bool": true, "integer": 1, "number": 1.5, "array": [1], "object": ["a": 1], "null": nil,
    ]
    #expect(try object.string("string") == "s")
    #expect(try object.bool("bool"))
    #expect(try object.integer("integer") == 1)
    #expect(try object.number("number").double == 1.5)
    #expect(try object.array("array") == [1])
    #expect(try object.object("object") == ["a": 1])

    #expect(try object.string(ifPresent: "x") == nil)
    #expect(try object.bool(ifPresent: "x") == nil)
    #expect(try object.integer(ifPresent: "x") == nil)
    #expect(try object.number(ifPresent: "x") == nil)
    #expect(try object.array(ifPresent: "x") == nil)
    #expect(try object.object(ifPresent: "x") == nil)

    for name in ["x", "null", "string", "bool", "number", "array", "object"] {
      let missingOrWrong: JSONError.Code = name == "x" ? .missingMember : .typeMismatch
      func check<Value>(_ own: String, _ read: (String) throws(JSONError) -> Value) {
        guard own != name else { return }
        do throws(JSONError) {
          _ = try read(name)
          Issue.record("\(name) was read as \(own)")
        } catch {
          #expect(error.code == missingOrWrong)
        }
      }
      check("string") { name throws(JSONError) in try object.string(name) }
      check("bool") { name throws(JSONError) in try object.bool(name) }
      check("number") { name throws(JSONError) in try object.number(name) }
      check("array") { name throws(JSONError) in try object.array(name) }
      check("object") { name throws(JSONError) in try object.object(name) }
    }
    #expect(throws: JSONError(.numberOutOfRange, "")) { try object.integer("number") }
    #expect(throws: JSONError(.typeMismatch, "")) { try object.integer("string") }
    #expect(throws: JSONError(.missingMember, "")) { try object.integer("x") }
  }

  @Test("Errors say where, are equal by code, and quote nothing of the text")
  func errors() throws {
    let secret = "correct horse battery staple"
    for text in [
      "{\"\(secret)\":1,\"\(secret)\":2}", "{\"a\":\"\(secret)", "[\"\(secret)\",]", "{\"\(secret)\"}",
      "\"\(secret)\\x\"",
      "\(secret)", "\"\(secret)\\ud800\"",
    ] {
      do {
        _ = try parsed(text)
        Issue.record("accepted")
      } catch {
        var dumped = ""
        dump(error, to: &dumped)
        for rendering in ["\(error)", String(reflecting: error), dumped, error.reason] {
          for start in secret.indices.dropLast(7) {
            let window = secret[start..<secret.index(start, offsetBy: 8)]
            #expect(!rendering.contains(window))
          }
        }
      }
    }
    let error = try #require(throws: JSONError.self) { try parsed("[1,x]") }
    #expect(error.byteOffset == 3)
    #expect(error.description == "malformed: a JSON value is expected (byte 3)")
    #expect(error == JSONError(.malformed, "something else"))
    #expect(Set([error, JSONError(.malformed, ""), JSONError(.limitExceeded, "")]).count == 2)
  }
}

@Suite("Views of a parsed text")
struct ViewTests {
  let document = try? JSONDocument(
    parsing: #"{"s":"a\u0062c","p":"plain","n":12,"t":true,"z":null,"a":[1,[2,3],{"x":4}],"o":{"k":"v"}}"#.utf8)

  @Test("Every kind of value is read in place")
  func reading() throws {
    let root = try #require(document).root
    #expect(root.kind == .object)
    #expect(try root["s"]?.string() == "abc")
    #expect(root["s"]?.isString("abc") == true)
    #expect(root["s"]?.isString("abd") == false)
    #expect(root["p"]?.isString("plain" as StaticString) == true)
    #expect(root["n"]?.isString("12") == false)
    #expect(try root["p"]?.withStringBytes { Array($0) } == Array("plain".utf8))
    #expect(try root["n"]?.integer(Int.self) == 12)
    #expect(try root["n"]?.double() == 12)
    #expect(try root["n"]?.number().literal == "12")
    #expect(try root["t"]?.bool() == true)
    #expect(root["z"]?.isNull == true)
    #expect(root["a"]?.text == Array(#"[1,[2,3],{"x":4}]"#.utf8))
    #expect(root["s"]?.text == Array("abc".utf8))
    #expect(root["a"]?.elements.map(\.value) == [1, [2, 3], ["x": 4]])
    #expect(root.members.map { $0.name.value } == ["s", "p", "n", "t", "z", "a", "o"])
    #expect(try root["o"]?.object() == ["k": "v"])
    #expect(root["o"]?["k"]?.value == "v")
    #expect(root["none"] == nil)
    #expect(root["n"]?["k"] == nil)
    #expect(root["n"]?.elements.map(\.value) == [])
    #expect(root["a"]?.members.map { $0.value.value } == [])
    #expect(root["k"] == nil, "members of nested objects are not the object's own")
  }

  @Test("The wrong type is an error with a place")
  func mistyped() throws {
    let root = try #require(document).root
    let number = try #require(root["n"])
    #expect(throws: JSONError(.typeMismatch, "")) { try number.string() }
    #expect(throws: JSONError(.typeMismatch, "")) { try number.bool() }
    #expect(throws: JSONError(.typeMismatch, "")) { try number.object() }
    #expect(throws: JSONError(.typeMismatch, "")) { try number.withStringBytes { $0.count } }
    #expect(throws: JSONError(.typeMismatch, "")) { try root.integer(Int.self) }
    #expect(throws: JSONError(.typeMismatch, "")) { try root.double() }
    #expect(throws: JSONError(.typeMismatch, "")) { try root.number() }
    let error = try #require(throws: JSONError.self) { try number.string() }
    #expect(error.byteOffset == 32)
  }
}
