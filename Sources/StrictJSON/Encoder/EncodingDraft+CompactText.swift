extension EncodingDraft {
  /// The text of everything encoded, without white space.
  func compactText(encoding value: some Encodable) throws(EncodingError) -> [UInt8] {
    guard !isMisused else {
      throw .invalidValue(
        value, .init(codingPath: [], debugDescription: "The value encodes two things into one place."))
    }
    var result = JSONWriter()
    result.reserveCapacity(writer.count + 2 * nodes.count)
    if let index = render(0, to: &result) {
      throw .invalidValue(
        value,
        .init(codingPath: codingPath(to: index), debugDescription: "The value encodes two members of one name."))
    }
    return result.bytes
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
    writer.bytes.withUnsafeBufferPointer { text in
      // nameStart <= nameEnd <= count: both were the writer's count when they were set.
      func name(_ child: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: text[nodes[child].nameStart..<nodes[child].nameEnd])
      }
      let count = childCount(of: index)
      if count > 32 {
        var names: [UInt32] = []
        names.reserveCapacity(count)
        forEachChild(of: index) { names.append(UInt32(truncatingIfNeeded: $0)) }
        return containsDuplicateName(&names) { name(Int($0)) }
      }
      var isDuplicate = false
      forEachChild(of: index) { child in
        let current = name(child)
        forEachChild(of: index) { earlier in
          if earlier < child, haveSameBytes(name(earlier), current) { isDuplicate = true }
        }
      }
      return isDuplicate
    }
  }
}
