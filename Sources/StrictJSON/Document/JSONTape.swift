/// A parsed text: in one piece of memory the entries that say what stands where, and the text.
///
/// Readers address entries by index. Indices come only from the tape itself, so they are always in bounds.
///
/// Tasks may share it, though its base class keeps it from being `Sendable`: what is in it is written in
/// ``make(text:unescapedText:nodes:)`` and ``keep(_:at:)`` alone, before the tape is shared, and freed when no
/// reference is left.
final class JSONTape: ManagedBuffer<JSONTapeContents, JSONNode> {
  deinit {
    unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.heap?.deallocate() }
  }

  /// Copies a text and its entries, or takes the entries over.
  static func make(
    text: UnsafeBufferPointer<UInt8>, unescapedText: [UInt8], nodes: inout JSONNodeList
  ) -> JSONTape {
    let nodeCount = nodes.count
    let start = unsafe nodes.start
    let heap = unsafe nodes.takeHeap()
    return unsafe unescapedText.withUnsafeBufferPointer { unescapedText in
      unsafe make(
        text: text, unescapedText: unescapedText, nodes: start, nodeCount: nodeCount, heap: heap, userInfo: [:])
    }
  }

  private static func make(
    text: UnsafeBufferPointer<UInt8>, unescapedText: UnsafeBufferPointer<UInt8>, nodes: UnsafePointer<JSONNode>,
    nodeCount: Int, heap: UnsafeMutablePointer<JSONNode>?, userInfo: [CodingUserInfoKey: any Sendable]
  ) -> JSONTape {
    let copiedCount = unsafe heap == nil ? nodeCount : 0
    let textCount = text.count &+ unescapedText.count
    let stride = MemoryLayout<JSONNode>.stride
    let tape = create(minimumCapacity: copiedCount &+ (textCount &+ stride &- 1) / stride) { tape in
      // The capacity, rounded up, holds the copied entries and then all of the text.
      unsafe tape.withUnsafeMutablePointerToElements { elements in
        unsafe elements.initialize(from: nodes, count: copiedCount)
        let octets = unsafe UnsafeMutableRawPointer(elements + copiedCount).bindMemory(
          to: UInt8.self, capacity: textCount)
        if let source = text.baseAddress { unsafe octets.initialize(from: source, count: text.count) }
        if let source = unescapedText.baseAddress {
          unsafe (octets + text.count).initialize(from: source, count: unescapedText.count)
        }
        return unsafe JSONTapeContents(
          nodes: heap.map { unsafe UnsafePointer($0) } ?? UnsafePointer(elements), nodeCount: nodeCount, heap: heap,
          text: UnsafePointer(octets), textCount: textCount, userInfo: userInfo, keptStrings: KeptStrings())
      }
    }
    // `create` makes an object of the class that it is called on.
    return unsafe unsafeDowncast(tape, to: JSONTape.self)
  }

  var userInfo: [CodingUserInfoKey: any Sendable] { header.userInfo }

  /// Keeps a string that was made of an entry, if it is one that has memory of its own.
  ///
  /// Only for the one reference there is to the tape.
  func keep(_ text: String, at index: Int) {
    // On 64 bits, a string holds 15 bytes in place.
    guard text.utf8.count > 15 else { return }
    unsafe withUnsafeMutablePointerToHeader {
      unsafe $0.pointee.keptStrings.append(text, at: UInt32(truncatingIfNeeded: index))
    }
  }

  /// The string that was kept of an entry.
  @inline(__always)
  func keptString(at index: Int) -> String? {
    unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.keptStrings[UInt32(truncatingIfNeeded: index)] }
  }

  /// The same tape for decoding with other `userInfo`.
  func with(userInfo: [CodingUserInfoKey: any Sendable]) -> JSONTape {
    unsafe withUnsafeMutablePointerToHeader { contents in
      if unsafe userInfo.isEmpty && contents.pointee.userInfo.isEmpty { return self }
      let contents = unsafe contents.pointee
      return unsafe JSONTape.make(
        text: UnsafeBufferPointer(start: contents.text, count: contents.textCount),
        unescapedText: UnsafeBufferPointer(start: nil, count: 0), nodes: contents.nodes,
        nodeCount: contents.nodeCount, heap: nil, userInfo: userInfo)
    }
  }

  /// The index of the value of the member `name`, compared by bytes; nil when the object has none.
  func find(_ name: UnsafeBufferPointer<UInt8>, inObject object: Int) -> Int? {
    unsafe withUnsafeMutablePointerToHeader { contents in
      let (nodes, text) = unsafe (contents.pointee.nodes, contents.pointee.text)
      let end = unsafe Int(nodes[object].next)
      var index = object &+ 1
      while index < end {
        let node = unsafe nodes[index]
        if Int(node.end &- node.start) == name.count,
          unsafe haveSameBytes(UnsafeBufferPointer(start: text + Int(node.start), count: name.count), name)
        {
          return index &+ 1
        }
        // A name is one entry; the member ends where its value does.
        index = unsafe Int(nodes[index &+ 1].next)
      }
      return nil
    }
  }

  func find(_ name: String, inObject object: Int) -> Int? {
    unsafe name.withUTF8Bytes { unsafe find($0, inObject: object) }
  }
}

/// Where everything of a tape is: behind its object, but for entries that the scanner had to put on the heap and that
/// now belong to the tape.
@safe struct JSONTapeContents {
  // All pointers lead into the tape's own memory, which lives as long as the tape.
  let nodes: UnsafePointer<JSONNode>
  let nodeCount: Int
  let heap: UnsafeMutablePointer<JSONNode>?
  /// The source, then the strings that had escapes, without them, one after another.
  let text: UnsafePointer<UInt8>
  let textCount: Int
  /// What `Decodable` types find in `Decoder.userInfo`.
  let userInfo: [CodingUserInfoKey: any Sendable]
  fileprivate(set) var keptStrings: KeptStrings
}

/// Up to three strings that were made of entries already: claims that a token's verifier reads are read again by the
/// caller's type, and a reference takes a tenth of the time that a copy takes.
struct KeptStrings {
  // No text has this many entries.
  private var first: (index: UInt32, text: String) = (.max, "")
  private var second: (index: UInt32, text: String) = (.max, "")
  private var third: (index: UInt32, text: String) = (.max, "")

  mutating func append(_ text: String, at index: UInt32) {
    (first, second, third) = ((index, text), first, second)
  }

  @inline(__always)
  subscript(_ index: UInt32) -> String? {
    if index == first.index { return first.text }
    if index == second.index { return second.text }
    return index == third.index ? third.text : nil
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
      let isObject = node(at: current).kind == .object
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

  /// Whether Swift's `String` takes two names of the object for equal. Their bytes differ: the scanner has seen to
  /// that.
  func hasCanonicallyEquivalentNames(inObject object: Int) -> Bool {
    var names: Set<String> = []
    for (name, _) in JSONView(tape: self, index: object).members
    where !names.insert(text(at: name.index)).inserted {
      return true
    }
    return false
  }
}
