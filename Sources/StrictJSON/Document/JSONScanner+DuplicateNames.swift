extension JSONScanner {
  /// Whether two names of the object just closed are the same bytes once unescaped.
  ///
  /// Up to 32 names are compared in pairs: at most 496 comparisons, nearly all decided by one word.
  /// More are sorted, so that no choice of names costs more than n log n comparisons.
  mutating func hasDuplicateName(inObject object: Int, memberCount: Int) -> Bool {
    memberCount <= 32
      ? hasDuplicateNameByPairs(inObject: object, memberCount: memberCount)
      : hasDuplicateNameBySorting(inObject: object)
  }

  private func hasDuplicateNameByPairs(inObject object: Int, memberCount: Int) -> Bool {
    unsafe withUnsafeTemporaryAllocation(of: (word: UInt64, index: Int).self, capacity: memberCount) { earlier in
      unsafe withNames { nodes, name in
        var count = 0
        var index = object &+ 1
        // An object has as many names as it has counted.
        while index < nodes.count, count < memberCount {
          let wanted = unsafe word(of: name(index))
          for place in 0..<count
          where unsafe earlier[place].word == wanted && haveSameBytes(name(earlier[place].index), name(index)) {
            return true
          }
          unsafe earlier.initializeElement(at: count, to: (wanted, index))
          count &+= 1
          index = Int(nodes[index &+ 1].next)
        }
        return false
      }
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
    let isDuplicate = unsafe withNames { _, name in unsafe containsDuplicateName(&indices) { unsafe name(Int($0)) } }
    nameIndices = indices
    return isDuplicate
  }

  /// Gives `body` the tape so far and a function from the index of a name's entry to its bytes.
  @inline(__always)
  private func withNames(
    _ body: (JSONNodeList, (Int) -> UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Bool {
    unsafe unescapedText.withUnsafeBufferPointer { unescaped in
      unsafe body(nodes) { index in
        let node = nodes[index]
        // 0 <= start <= end <= count of the buffer that the flag names.
        guard node.flags.contains(.isUnescaped) else {
          return unsafe UnsafeBufferPointer(rebasing: input[Int(node.start)..<Int(node.end)])
        }
        return unsafe UnsafeBufferPointer(
          rebasing: unescaped[(Int(node.start) &- input.count)..<(Int(node.end) &- input.count)])
      }
    }
  }
}
