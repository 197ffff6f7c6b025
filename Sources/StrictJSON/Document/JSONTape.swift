/// A parsed text: its bytes and, in one flat array, the entries that say what stands where.
///
/// Readers address entries by index. Indices come only from the tape itself, so they are always in bounds.
final class JSONTape: Sendable {
  let bytes: [UInt8]
  /// The strings that had escapes, without them, one after another.
  let unescapedText: [UInt8]
  let nodes: [JSONNode]
  /// What `Decodable` types find in `Decoder.userInfo`.
  let userInfo: [CodingUserInfoKey: any Sendable]

  init(
    bytes: [UInt8], unescapedText: [UInt8], nodes: [JSONNode], userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) {
    self.bytes = bytes
    self.unescapedText = unescapedText
    self.nodes = nodes
    self.userInfo = userInfo
  }

  /// The same tape for decoding with other `userInfo`.
  func with(userInfo: [CodingUserInfoKey: any Sendable]) -> JSONTape {
    userInfo.isEmpty && self.userInfo.isEmpty
      ? self : JSONTape(bytes: bytes, unescapedText: unescapedText, nodes: nodes, userInfo: userInfo)
  }

  @inline(__always)
  func next(after index: Int) -> Int { Int(nodes[index].next) }

  /// Calls `body` with the text of the entry: a string without quotation marks and escapes, or a literal as it stands.
  @inline(__always)
  func withText<Result>(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let node = nodes[index]
    let source = node.flags.contains(.isUnescaped) ? unescapedText : bytes
    return source.withUnsafeBufferPointer { buffer in
      // 0 <= start <= end <= source.count: the scanner sets both from positions it has passed.
      body(UnsafeBufferPointer(rebasing: buffer[Int(node.start)..<Int(node.end)]))
    }
  }

  /// The index of the value of the member `name`, compared by bytes; nil when the object has none.
  func find(_ name: UnsafeBufferPointer<UInt8>, inObject object: Int) -> Int? {
    nodes.withUnsafeBufferPointer { nodes in
      bytes.withUnsafeBufferPointer { source in
        let end = Int(nodes[object].next)
        var index = object &+ 1
        while index < end {
          let node = nodes[index]
          if Int(node.end &- node.start) == name.count {
            let isSame =
              node.flags.contains(.isUnescaped)
              ? withText(at: index) { haveSameBytes($0, name) }
              : haveSameBytes(UnsafeBufferPointer(rebasing: source[Int(node.start)..<Int(node.end)]), name)
            if isSame { return index &+ 1 }
          }
          // A name is one entry; the member ends where its value does.
          index = Int(nodes[index &+ 1].next)
        }
        return nil
      }
    }
  }

  func find(_ name: String, inObject object: Int) -> Int? {
    name.withUTF8Bytes { find($0, inObject: object) }
  }
}

/// A name or position on a coding path.
struct JSONCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }

  /// The element of an array at this position, counted from 0.
  init(position: Int) {
    stringValue = "Index \(position)"
    intValue = position
  }
}

extension JSONTape {
  /// The names and positions that lead from the root to the entry.
  ///
  /// Worked out when asked for, which is when an error is made, instead of kept while decoding. Takes a walk over the
  /// siblings before the entry and its ancestors.
  func codingPath(to target: Int) -> [JSONCodingKey] {
    var path: [JSONCodingKey] = []
    var current = 0
    while current < target {
      let isObject = nodes[current].kind == .object
      var child = current &+ 1
      var position = 0
      // Children follow their container without gaps, so the target lies in the first one that ends behind it.
      while true {
        let value = isObject ? child &+ 1 : child
        if next(after: value) > target {
          path.append(isObject ? JSONCodingKey(stringValue: text(at: child)) : JSONCodingKey(position: position))
          current = value
          break
        }
        child = next(after: value)
        position &+= 1
      }
    }
    return path
  }

  /// Whether Swift's `String` takes two names of the object for equal. Their bytes differ: the scanner has seen to that.
  func hasCanonicallyEquivalentNames(inObject object: Int) -> Bool {
    var names: Set<String> = []
    for (name, _) in JSONView(tape: self, index: object).members
    where !names.insert(text(at: name.index)).inserted {
      return true
    }
    return false
  }
}
