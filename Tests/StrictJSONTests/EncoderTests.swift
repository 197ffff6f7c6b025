import Foundation
import PureJOSETestSupport
import StrictJSON
import Testing

@Suite("Encodable types to text")
struct EncoderTests {
  let encoder = StrictJSONEncoder()

  func text(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  @Test("Members stand in the order of the type")
  func order() throws {
    struct Claims: Encodable {
      var sub = "s/1"
      var aud = ["b", "a"]
      var exp: Int64 = 1_700_000_000
      var absent: String?
      var nested = ["only": 1.5]
      var value: JSONValue = ["z": 1, "a": [nil]]
    }
    #expect(
      try text(Claims())
        == #"{"sub":"s/1","aud":["b","a"],"exp":1700000000,"nested":{"only":1.5},"value":{"z":1,"a":[null]}}"#)
    #expect(try encoder.encodeValue(Claims()).objectValue?.names == ["sub", "aud", "exp", "nested", "value"])
    let canonical = StrictJSONEncoder(options: .canonical)
    #expect(
      String(decoding: try canonical.encode(Claims()), as: UTF8.self)
        == #"{"aud":["b","a"],"exp":1700000000,"nested":{"only":1.5},"sub":"s/1","value":{"a":[null],"z":1}}"#)
  }

  @Test("Scalars at the root")
  func scalars() throws {
    #expect(try text("é\n") == "\"é\\n\"")
    #expect(try text(true) == "true")
    #expect(try text(Int?.none) == "null")
    #expect(try text(0) == "0")
    #expect(try text(-7) == "-7")
    #expect(try text(10) == "10")
    #expect(try text(Int8.min) == "-128")
    #expect(try text(Int16.min) == "-32768")
    #expect(try text(Int32.min) == "-2147483648")
    #expect(try text(Int64.min) == "-9223372036854775808")
    #expect(try text(Int.max) == "9223372036854775807")
    #expect(try text(UInt8.max) == "255")
    #expect(try text(UInt16.max) == "65535")
    #expect(try text(UInt32.max) == "4294967295")
    #expect(try text(UInt64.max) == "18446744073709551615")
    #expect(try text(UInt.max) == "18446744073709551615")
    #expect(try text(Int128.min) == "-170141183460469231731687303715884105728")
    #expect(try text(UInt128.max) == "340282366920938463463374607431768211455")
    #expect(try text(1.0) == "1")
    #expect(try text([1.0, -0.0, 1e21]) == "[1,-0,1e+21]")
    #expect(try text([Int]()) == "[]")
    #expect(try text([String: Int]()) == "{}")
    #expect(try text(JSONNumber(literal: "1.00")) == "1.00")
  }

  @Test("Infinities and NaN are refused, with a path")
  func nonFinite() throws {
    struct Deep: Encodable { var a = [["b": Double.nan]] }
    let error = try #require(throws: EncodingError.self) { try encoder.encode(Deep()) }
    #expect(error.path == ["a", "Index 0", "b"])
    #expect(throws: EncodingError.self) { try encoder.encode(Double.infinity) }
    #expect(throws: EncodingError.self) { try encoder.encode([Float.infinity]) }
    #expect(throws: EncodingError.self) { try encoder.encode(-Float.infinity) }
  }

  @Test("A type that encodes nothing is an empty object")
  func nothing() throws {
    struct Empty: Encodable {}
    struct Silent: Encodable { func encode(to encoder: any Encoder) throws {} }
    #expect(try text(Empty()) == "{}")
    #expect(try text([Silent(), Silent()]) == "[{},{}]")
    #expect(try text(["a": Silent()]) == #"{"a":{}}"#)
  }

  @Test("Two members of one name are refused, few or many")
  func duplicates() throws {
    struct Twice: Encodable {
      var count: Int
      func encode(to encoder: any Encoder) throws {
        var outer = encoder.container(keyedBy: AnyKey.self)
        var container = outer.nestedContainer(keyedBy: AnyKey.self, forKey: "in")
        for position in 0..<count { try container.encode(position, forKey: AnyKey(stringValue: "k\(position)")) }
        try container.encode("again", forKey: "k\n0")
        try container.encode("again", forKey: "k0")
      }
    }
    for count in [1, 2, 31, 32, 33, 500] {
      let error = try #require(throws: EncodingError.self) { try encoder.encode(Twice(count: count)) }
      #expect(error.path == ["in"])
    }
    #expect(try encoder.encode(Twice(count: 0)).count > 0)
  }

  @Test("A type that encodes two values in one place is refused with an error")
  func misuse() {
    struct ScalarTwice: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(1)
        try container.encode(2)
      }
    }
    struct Mixed: Encodable {
      func encode(to encoder: any Encoder) throws {
        var keyed = encoder.container(keyedBy: AnyKey.self)
        try keyed.encode(1, forKey: "a")
        var list = encoder.unkeyedContainer()
        try list.encode(1)
      }
    }
    struct ScalarThenKeyed: Encodable {
      func encode(to encoder: any Encoder) throws {
        try "x".encode(to: encoder)
        var keyed = encoder.container(keyedBy: AnyKey.self)
        try keyed.encode(1, forKey: "a")
      }
    }
    #expect(throws: EncodingError.self) { try encoder.encode(ScalarTwice()) }
    #expect(throws: EncodingError.self) { try encoder.encode([Mixed()]) }
    #expect(throws: EncodingError.self) { try encoder.encode(ScalarThenKeyed()) }
  }

  @Test("Containers filled by turns, super encoders, and one container asked for twice")
  func containersByHand() throws {
    struct Probe: Encodable {
      func encode(to encoder: any Encoder) throws {
        #expect(encoder.codingPath.isEmpty)
        var keyed = encoder.container(keyedBy: AnyKey.self)
        var list = keyed.nestedUnkeyedContainer(forKey: "list")
        var object = keyed.nestedContainer(keyedBy: AnyKey.self, forKey: "ob\"ject")
        #expect(object.codingPath.map(\.stringValue) == ["ob\"ject"])
        try list.encode(1)
        try object.encode(2, forKey: "x")
        try list.encodeNil()
        #expect(list.count == 2)
        var inner = list.nestedContainer(keyedBy: AnyKey.self)
        #expect(inner.codingPath.map(\.stringValue) == ["list", "Index 2"])
        var innerList = list.nestedUnkeyedContainer()
        try innerList.encode("deep")
        try inner.encodeNil(forKey: "null")
        try object.encode(["y"], forKey: "late")
        try true.encode(to: list.superEncoder())
        try 3.encode(to: keyed.superEncoder())
        try "k".encode(to: keyed.superEncoder(forKey: "own"))
        try list.encode(contentsOf: [1.5, 2])
        var again = encoder.container(keyedBy: AnyKey.self)
        try again.encode(false, forKey: "again")
      }
    }
    #expect(
      try text(Probe())
        == #"{"list":[1,null,{"null":null},["deep"],true,1.5,2],"ob\"ject":{"x":2,"late":["y"]},"#
        + #""super":3,"own":"k","again":false}"#)
  }

  @Test("Containers filled in any order give the text of the tree that they make")
  func containersInAnyOrder() throws {
    for seed in 0..<400 {
      let value = FilledByChance(seed: UInt64(seed), tree: EncodedTree(isArray: seed % 2 == 0))
      #expect(try text(value) == value.tree.text)
    }
  }

  @Test("A value whose error is ignored leaves nothing in the text")
  func abandoned() throws {
    struct Refusal: Error {}
    struct Failing: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode(1, forKey: "half")
        throw Refusal()
      }
    }
    struct Tolerant: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        try? container.encode(Failing(), forKey: "a")
        try container.encode(1, forKey: "b")
        var list = container.nestedUnkeyedContainer(forKey: "c")
        try? list.encode(Failing())
        try? list.encode(Double.nan)
        try list.encode(2)
      }
    }
    #expect(try text(Tolerant()) == #"{"b":1,"c":[2]}"#)
    #expect(throws: Refusal.self) { try encoder.encode([Failing()]) }
  }

  @Test("userInfo reaches nested types")
  func userInfo() throws {
    struct Probe: Encodable {
      func encode(to encoder: any Encoder) throws {
        let value = CodingUserInfoKey(rawValue: "k").flatMap { encoder.userInfo[$0] as? String }
        try value.encode(to: encoder)
      }
    }
    let encoder = StrictJSONEncoder(userInfo: [try #require(CodingUserInfoKey(rawValue: "k")): "v"])
    #expect(String(decoding: try encoder.encode([Probe()]), as: UTF8.self) == #"["v"]"#)
  }

  @Test("Nesting beyond what can be parsed again is an error where it is parsed again")
  func deepValues() throws {
    indirect enum Chain: Encodable {
      case end
      case link(Chain)

      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        if case .link(let next) = self { try container.encode(next) }
      }
    }
    let chain = (1..<257).reduce(Chain.end) { chain, _ in .link(chain) }
    #expect(try encoder.encode(chain).count == 514)
    #expect(throws: JSONError(.limitExceeded, "")) { try encoder.encodeValue(chain) }
    #expect(throws: JSONError(.limitExceeded, "")) { try StrictJSONEncoder(options: .pretty).encode(chain) }
  }
}

extension EncodingError {
  /// The path to the value that can't be encoded.
  var path: [String]? {
    if case .invalidValue(_, let context) = self { context.codingPath.map(\.stringValue) } else { nil }
  }
}

/// What containers were told to hold.
private final class EncodedTree {
  let isArray: Bool
  private var children: [String] = []
  private var containers: [(place: Int, tree: EncodedTree)] = []

  init(isArray: Bool) { self.isArray = isArray }

  func append(_ text: String, _ name: String) { children.append(isArray ? text : "\"\(name)\":\(text)") }

  func appendContainer(isArray: Bool, _ name: String) -> EncodedTree {
    let tree = EncodedTree(isArray: isArray)
    containers.append((children.count, tree))
    append("", name)
    return tree
  }

  var text: String {
    var children = children
    for (place, tree) in containers { children[place] += tree.text }
    let content = children.joined(separator: ",")
    return isArray ? "[\(content)]" : "{\(content)}"
  }
}

/// A type that fills many containers, in order for a while and then by turns.
private struct FilledByChance: Encodable {
  let seed: UInt64
  let tree: EncodedTree

  func encode(to encoder: any Encoder) throws {
    var random = SeededGenerator(seed: seed)
    let isOrderly = Int.random(in: 0..<3, using: &random) > 0
    var places = [Place(tree, encoder)]
    for step in 0..<Int.random(in: 0..<16, using: &random) {
      let isLast = isOrderly || Bool.random(using: &random)
      let place = isLast ? places.count - 1 : Int.random(in: 0..<places.count, using: &random)
      let name = "m\(step)"
      switch Int.random(in: 0..<7, using: &random) {
      case 0: places.append(try places[place].container(isArray: true, name))
      case 1: places.append(try places[place].container(isArray: false, name))
      case 2 where places.count > 1: places.removeLast()
      // Whoever encodes nothing there leaves an empty object.
      case 3: _ = places[place].placeholder(name)
      default: try places[place].encode(step, name)
      }
    }
  }

  private struct Place {
    let tree: EncodedTree
    private var keyed: KeyedEncodingContainer<AnyKey>?
    private var unkeyed: (any UnkeyedEncodingContainer)?

    init(_ tree: EncodedTree, _ encoder: any Encoder) {
      self.tree = tree
      if tree.isArray { unkeyed = encoder.unkeyedContainer() } else { keyed = encoder.container(keyedBy: AnyKey.self) }
    }

    mutating func encode(_ number: Int, _ name: String) throws {
      tree.append("\(number)", name)
      try keyed?.encode(number, forKey: AnyKey(stringValue: name))
      try unkeyed?.encode(number)
    }

    mutating func placeholder(_ name: String) -> (any Encoder)? {
      tree.append("{}", name)
      return keyed?.superEncoder(forKey: AnyKey(stringValue: name)) ?? unkeyed?.superEncoder()
    }

    mutating func container(isArray: Bool, _ name: String) throws -> Place {
      let tree = tree.appendContainer(isArray: isArray, name)
      let encoder = keyed?.superEncoder(forKey: AnyKey(stringValue: name)) ?? unkeyed?.superEncoder()
      return Place(tree, try #require(encoder))
    }
  }
}
