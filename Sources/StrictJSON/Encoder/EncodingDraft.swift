/// All that one encoding has produced so far: finished text in one buffer, and the entries that say how it fits
/// together.
///
/// `Encodable` types may fill several containers by turns, so text can't be written in its final order at once. Entries
/// are linked to their parent and siblings by index, which costs no allocation for each.
///
/// Most types fill one container after the other. As long as one does, the brackets and commas are written on the way,
/// and the buffer is the text when all is said.
struct EncodingDraft {
  struct Node {
    enum Kind { case unset, text, array, object, abandoned }

    var kind = Kind.unset
    /// Where the name begins, quoted and escaped and with its colon, when the parent is an object.
    var nameStart: Int
    var nameEnd: Int
    /// Where the text of a value lies that is finished.
    var valueStart = 0
    var valueEnd = 0
    // Memory for 2³¹ entries isn't to be had.
    var parent: Int32
    var firstChild: Int32 = -1
    var lastChild: Int32 = -1
    var nextSibling: Int32 = -1
  }

  private(set) var writer = JSONWriter()
  private(set) var nodes: [Node] = []
  /// Whether some type encoded two things into one place. Containers can't throw when they are made.
  private(set) var isMisused = false

  /// Whether what the writer has is the beginning of the text as it must be.
  private var isInOrder = true
  /// The innermost container whose end is still to come in the text, or -1.
  private var open = -1
  /// The entry whose name is the last thing written and whose value is still to come, or -1.
  private var pending = 0

  /// The last entry of its own that a type gave a floating-point number.
  private var float = -1

  /// A draft whose entry 0 is the value to be encoded.
  init() {
    nodes.reserveCapacity(16)
    nodes.append(Node(nameStart: 0, nameEnd: 0, parent: -1))
    writer.reserveCapacity(512)
  }

  /// Adds an entry that has no value yet. Only members of objects have a name.
  mutating func addChild(of parent: Int, name: String?) -> Int {
    if isInOrder { makePlace(in: parent) }
    let start = writer.count
    if let name {
      writer.write(string: name)
      writer.write(UInt8(ascii: ":"))
    }
    let index = nodes.count
    let link = Int32(truncatingIfNeeded: index)
    nodes.append(Node(nameStart: start, nameEnd: writer.count, parent: Int32(truncatingIfNeeded: parent)))
    let previous = nodes[parent].lastChild
    if previous < 0 { nodes[parent].firstChild = link } else { nodes[Int(previous)].nextSibling = link }
    nodes[parent].lastChild = link
    pending = index
    return index
  }

  /// Ends the containers within `parent` and writes the comma before its next child, if all goes in order.
  private mutating func makePlace(in parent: Int) {
    isInOrder = pending < 0
    while isInOrder, open != parent {
      if open < 0 { isInOrder = false } else { endContainer() }
    }
    if isInOrder, nodes[parent].firstChild >= 0 { writer.write(UInt8(ascii: ",")) }
  }

  private mutating func endContainer() {
    writer.write(nodes[open].kind == .array ? UInt8(ascii: "]") : UInt8(ascii: "}"))
    open = Int(nodes[open].parent)
  }

  /// Gives an entry its finished text.
  @inline(__always)
  mutating func setValue(of index: Int, _ write: (inout JSONWriter) -> Void) {
    guard nodes[index].kind == .unset else {
      isMisused = true
      return
    }
    nodes[index].valueStart = writer.count
    write(&writer)
    nodes[index].valueEnd = writer.count
    nodes[index].kind = .text
    if pending == index { pending = -1 } else { isInOrder = false }
  }

  /// Adds an entry with its finished text.
  @inline(__always)
  mutating func addChild(of parent: Int, name: String?, _ write: (inout JSONWriter) -> Void) {
    let index = addChild(of: parent, name: name)
    setValue(of: index, write)
  }

  mutating func noteFloat(_ index: Int) { float = index }

  /// Whether an entry has what some type of Foundation writes of itself: a number, or an object with the names of its
  /// parts.
  func mayBeParts(_ index: Int) -> Bool {
    switch nodes[index].kind {
    case .text: float == index
    case .object:
      nodes[index].firstChild >= 0
        && Self.beginnings.contains { name in
          let child = nodes[Int(nodes[index].firstChild)]
          return writer.bytes[child.nameStart..<child.nameEnd].elementsEqual(name.utf8)
        }
    case .array, .unset, .abandoned: false
    }
  }

  /// What stands before the first part of a Decimal and a URL.
  private static let beginnings = [#""exponent":"#, #""base":"#, #""relative":"#]

  /// The text of an entry that is finished, without its name.
  func text(of index: Int) -> [UInt8] {
    var result = JSONWriter()
    _ = render(index, to: &result)
    return Array(result.bytes.dropFirst(nodes[index].nameEnd - nodes[index].nameStart))
  }

  /// Makes an entry a container. Asking twice for the same kind gives the same container.
  mutating func makeContainer(_ kind: Node.Kind, at index: Int) {
    if nodes[index].kind == .unset {
      nodes[index].kind = kind
      if isInOrder, pending == index {
        writer.write(kind == .array ? UInt8(ascii: "[") : UInt8(ascii: "{"))
        (open, pending) = (index, -1)
      } else {
        isInOrder = false
      }
    } else if nodes[index].kind != kind {
      isMisused = true
    }
  }

  /// Takes back an entry whose value could not be encoded, in case the type goes on without it.
  mutating func abandon(_ index: Int) {
    nodes[index].kind = .abandoned
    isInOrder = false
  }

  /// How many elements the array has so far.
  func childCount(of index: Int) -> Int {
    var count = 0
    forEachChild(of: index) { _ in count += 1 }
    return count
  }

  @inline(__always)
  func forEachChild<Failure: Error>(of index: Int, _ body: (Int) throws(Failure) -> Void) throws(Failure) {
    var child = nodes[index].firstChild
    while child >= 0 {
      let index = Int(child)
      if nodes[index].kind != .abandoned { try body(index) }
      child = nodes[index].nextSibling
    }
  }

  /// The names and positions that lead to the entry.
  func codingPath(to index: Int) -> [any CodingKey] {
    var path: [any CodingKey] = []
    var current = index
    while nodes[current].parent >= 0 {
      let parent = Int(nodes[current].parent)
      if nodes[parent].kind == .object {
        let text = writer.bytes[nodes[current].nameStart..<nodes[current].nameEnd].dropLast()
        path.append(JSONCodingKey(stringValue: (try? JSONValue(parsing: text, limits: .ownText))?.stringValue ?? ""))
      } else {
        var position = 0
        forEachChild(of: parent) { if $0 < current { position += 1 } }
        path.append(JSONCodingKey(position: position))
      }
      current = parent
    }
    return path.reversed()
  }
}

extension EncodingDraft {
  /// The text of everything encoded, without white space.
  mutating func compactText(encoding value: some Encodable) throws(EncodingError) -> [UInt8] {
    guard !isMisused else {
      throw .invalidValue(
        value, .init(codingPath: [], debugDescription: "The value encodes two things into one place."))
    }
    if isInOrder, pending < 0 {
      for index in nodes.indices where nodes[index].kind == .object && hasDuplicateName(inObject: index) {
        throw duplicateName(inObject: index, value)
      }
      while open >= 0 { endContainer() }
      return writer.bytes
    }
    var result = JSONWriter()
    result.reserveCapacity(writer.count + 2 * nodes.count)
    if let index = render(0, to: &result) { throw duplicateName(inObject: index, value) }
    return result.bytes
  }

  private func duplicateName(inObject index: Int, _ value: some Encodable) -> EncodingError {
    .invalidValue(
      value,
      .init(codingPath: codingPath(to: index), debugDescription: "The value encodes two members of one name."))
  }

  /// Writes an entry. Returns the index of an object that has two members of one name, or nil when there is none.
  private func render(_ index: Int, to result: inout JSONWriter) -> Int? {
    let node = nodes[index]
    switch node.kind {
    case .text:
      // An element has no name; a member's value follows its name unless something was encoded in between.
      if node.nameEnd == node.valueStart {
        result.write(writer.bytes[node.nameStart..<node.valueEnd])
      } else {
        result.write(writer.bytes[node.nameStart..<node.nameEnd])
        result.write(writer.bytes[node.valueStart..<node.valueEnd])
      }
      return nil
    case .array:
      return renderContainer(index, UInt8(ascii: "["), UInt8(ascii: "]"), to: &result)
    case .object, .unset, .abandoned:
      return hasDuplicateName(inObject: index)
        ? index : renderContainer(index, UInt8(ascii: "{"), UInt8(ascii: "}"), to: &result)
    }
  }

  private func renderContainer(_ index: Int, _ open: UInt8, _ close: UInt8, to result: inout JSONWriter) -> Int? {
    result.write(writer.bytes[nodes[index].nameStart..<nodes[index].nameEnd])
    result.write(open)
    var isFirst = true
    var faulty: Int?
    forEachChild(of: index) { child in
      guard faulty == nil else { return }
      if !isFirst { result.write(UInt8(ascii: ",")) }
      isFirst = false
      faulty = render(child, to: &result)
    }
    result.write(close)
    return faulty
  }

  /// Names are escaped in one way only, so their written forms differ when they do.
  private func hasDuplicateName(inObject index: Int) -> Bool {
    unsafe writer.bytes.withUnsafeBufferPointer { text in
      // nameStart <= nameEnd <= count: both were the writer's count when they were set.
      func name(_ child: Int) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(rebasing: text[nodes[child].nameStart..<nodes[child].nameEnd])
      }
      let count = childCount(of: index)
      if count > 32 {
        var names: [UInt32] = []
        names.reserveCapacity(count)
        forEachChild(of: index) { names.append(UInt32(truncatingIfNeeded: $0)) }
        return unsafe containsDuplicateName(&names) { unsafe name(Int($0)) }
      }
      let first = nodes[index].firstChild
      var child = first
      while child >= 0 {
        let current = nodes[Int(child)]
        if current.kind != .abandoned {
          var earlier = first
          while earlier != child {
            let other = nodes[Int(earlier)]
            // Names of one length and written in one way: most differ in that already.
            if other.nameEnd &- other.nameStart == current.nameEnd &- current.nameStart, other.kind != .abandoned,
              unsafe haveSameBytes(name(Int(earlier)), name(Int(child)))
            {
              return true
            }
            earlier = other.nextSibling
          }
        }
        child = current.nextSibling
      }
      return false
    }
  }
}

/// What one encoding shares among its encoders and containers.
///
/// All that changes is in one struct, so that each step makes a single access to the class. No step runs anybody else's
/// code, so that no two can overlap in one thread; the runtime's watch over that would take a tenth of the time. Each
/// access is marked `unsafe` for that reason.
final class EncodingArena {
  @exclusivity(unchecked) var draft = EncodingDraft()
  let userInfo: [CodingUserInfoKey: any Sendable]

  init(userInfo: [CodingUserInfoKey: any Sendable]) {
    self.userInfo = userInfo
  }
}
