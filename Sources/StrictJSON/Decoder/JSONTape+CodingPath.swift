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
