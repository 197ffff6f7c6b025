extension JSONScanner {
  /// Whether two names of the object just closed are the same bytes once unescaped.
  ///
  /// Up to 32 names are compared in pairs: at most 496 comparisons, nearly all decided by the length or the first word.
  /// More are sorted, so that no choice of names costs more than n log n comparisons.
  mutating func hasDuplicateName(inObject object: Int, memberCount: Int) -> Bool {
    memberCount <= 32 ? hasDuplicateNameByPairs(inObject: object) : hasDuplicateNameBySorting(inObject: object)
  }

  private func hasDuplicateNameByPairs(inObject object: Int) -> Bool {
    withNames { nodes, name in
      let end = nodes.count
      var index = object &+ 1
      while index < end {
        let current = nodes[index]
        var earlier = object &+ 1
        while earlier < index {
          let other = nodes[earlier]
          // Most names differ in their length already.
          if other.end &- other.start == current.end &- current.start, haveSameBytes(name(earlier), name(index)) {
            return true
          }
          earlier = Int(nodes[earlier &+ 1].next)
        }
        index = Int(nodes[index &+ 1].next)
      }
      return false
    }
  }

  private mutating func hasDuplicateNameBySorting(inObject object: Int) -> Bool {
    var indices = nameIndices
    nameIndices = []
    indices.removeAll(keepingCapacity: true)
    var index = object &+ 1
    while index < nodes.count {
      indices.append(UInt32(truncatingIfNeeded: index))
      index = Int(nodes[index &+ 1].next)
    }
    let isDuplicate = withNames { _, name in containsDuplicateName(&indices) { name(Int($0)) } }
    nameIndices = indices
    return isDuplicate
  }

  /// Gives `body` the tape so far and a function from the index of a name's entry to its bytes.
  @inline(__always)
  private func withNames(
    _ body: (JSONNodeList, (Int) -> UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Bool {
    unescapedText.withUnsafeBufferPointer { unescaped in
      body(nodes) { index in
        let node = nodes[index]
        // 0 <= start <= end <= count of the buffer that the flag names.
        guard node.flags.contains(.isUnescaped) else {
          return UnsafeBufferPointer(rebasing: input[Int(node.start)..<Int(node.end)])
        }
        return UnsafeBufferPointer(
          rebasing: unescaped[(Int(node.start) &- input.count)..<(Int(node.end) &- input.count)])
      }
    }
  }
}
