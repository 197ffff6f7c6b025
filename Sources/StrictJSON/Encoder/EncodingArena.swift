/// All that one encoding has produced so far: finished text in one buffer, and the entries that say how it fits together.
///
/// `Encodable` types may fill several containers by turns, so text can't be written in its final order at once. Entries
/// are linked to their parent and siblings by index, which costs no allocation for each.
final class EncodingArena {
  struct Node {
    enum Kind { case unset, text, array, object, abandoned }

    var kind = Kind.unset
    /// The name, quoted and escaped, when the parent is an object.
    var name: Range<Int>
    /// The text of a value that is finished.
    var value: Range<Int>
    var parent: Int
    var firstChild = -1
    var lastChild = -1
    var nextSibling = -1
  }

  private(set) var writer = JSONWriter()
  private(set) var nodes: [Node]
  /// Whether some type encoded two things into one place. Containers can't throw when they are made.
  private var isMisused = false
  let userInfo: [CodingUserInfoKey: any Sendable]

  init(userInfo: [CodingUserInfoKey: any Sendable]) {
    self.userInfo = userInfo
    nodes = []
    nodes.reserveCapacity(16)
    nodes.append(Node(name: 0..<0, value: 0..<0, parent: -1))
    writer.reserveCapacity(512)
  }

  /// Adds an entry that has no value yet. Only members of objects have a name.
  func addChild(of parent: Int, name: String?) -> Int {
    let start = writer.count
    if let name { writer.write(string: name) }
    let index = nodes.count
    nodes.append(Node(name: start..<writer.count, value: 0..<0, parent: parent))
    let previous = nodes[parent].lastChild
    if previous < 0 { nodes[parent].firstChild = index } else { nodes[previous].nextSibling = index }
    nodes[parent].lastChild = index
    return index
  }

  /// Gives an entry its finished text.
  @inline(__always)
  func setValue(of index: Int, _ write: (inout JSONWriter) -> Void) {
    guard nodes[index].kind == .unset else {
      isMisused = true
      return
    }
    let start = writer.count
    write(&writer)
    nodes[index].value = start..<writer.count
    nodes[index].kind = .text
  }

  /// Makes an entry a container. Asking twice for the same kind gives the same container.
  func makeContainer(_ kind: Node.Kind, at index: Int) {
    if nodes[index].kind == .unset {
      nodes[index].kind = kind
    } else if nodes[index].kind != kind {
      isMisused = true
    }
  }

  /// Takes back an entry whose value could not be encoded, in case the type goes on without it.
  func abandon(_ index: Int) {
    nodes[index].kind = .abandoned
  }

  /// How many elements the array has so far.
  func childCount(of index: Int) -> Int {
    var count = 0
    forEachChild(of: index) { _ in count += 1 }
    return count
  }

  private func forEachChild(of index: Int, _ body: (Int) throws -> Void) rethrows {
    var child = nodes[index].firstChild
    while child >= 0 {
      if nodes[child].kind != .abandoned { try body(child) }
      child = nodes[child].nextSibling
    }
  }

  /// The names and positions that lead to the entry.
  func codingPath(to index: Int) -> [any CodingKey] {
    var path: [any CodingKey] = []
    var current = index
    while nodes[current].parent >= 0 {
      let parent = nodes[current].parent
      if nodes[parent].kind == .object {
        let name = try? JSONValue(parsing: writer.bytes[nodes[current].name], limits: .ownText).stringValue
        path.append(JSONCodingKey(stringValue: name ?? ""))
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

// MARK: - Result

extension EncodingArena {
  /// The text of everything encoded, without white space.
  func compactText(encoding value: some Encodable) throws -> [UInt8] {
    guard !isMisused else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: [], debugDescription: "The value encodes two things into one place."))
    }
    var result = JSONWriter()
    result.reserveCapacity(writer.count + 2 * nodes.count)
    try render(0, to: &result, encoding: value)
    return result.bytes
  }

  private func render(_ index: Int, to result: inout JSONWriter, encoding value: some Encodable) throws {
    let node = nodes[index]
    switch node.kind {
    case .text:
      result.write(writer.bytes[node.value])
    case .array:
      result.write(UInt8(ascii: "["))
      try forEachChild(of: index) { child in
        if result.bytes.last != UInt8(ascii: "[") { result.write(UInt8(ascii: ",")) }
        try render(child, to: &result, encoding: value)
      }
      result.write(UInt8(ascii: "]"))
    case .object, .unset, .abandoned:
      guard !hasDuplicateName(inObject: index) else {
        throw EncodingError.invalidValue(
          value,
          .init(codingPath: codingPath(to: index), debugDescription: "The value encodes two members of one name."))
      }
      result.write(UInt8(ascii: "{"))
      try forEachChild(of: index) { child in
        if result.bytes.last != UInt8(ascii: "{") { result.write(UInt8(ascii: ",")) }
        result.write(writer.bytes[nodes[child].name])
        result.write(UInt8(ascii: ":"))
        try render(child, to: &result, encoding: value)
      }
      result.write(UInt8(ascii: "}"))
    }
  }

  /// Names are escaped in one way only, so their written forms differ when they do. Few are compared in pairs, many sorted.
  private func hasDuplicateName(inObject index: Int) -> Bool {
    var names: [UInt32] = []
    forEachChild(of: index) { names.append(UInt32(truncatingIfNeeded: $0)) }
    return writer.bytes.withUnsafeBufferPointer { text in
      containsDuplicateName(&names) { UnsafeBufferPointer(rebasing: text[nodes[Int($0)].name]) }
    }
  }
}
