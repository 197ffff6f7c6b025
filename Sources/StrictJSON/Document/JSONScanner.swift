/// Reads a JSON text once, from front to back, and writes the tape.
///
/// One loop, no recursion: an open container keeps the index of its parent in its own entry, so nesting costs no stack.
/// Every byte of the text is looked at, every rule of RFC 8259 applied, and every limit checked as it is reached.
@safe struct JSONScanner {
  // The text, which the caller lends for one call of `scan`. `position` never passes its count, and what is read at
  // `position` or behind it has been compared with the count before.
  let input: UnsafeBufferPointer<UInt8>
  let limits: JSONLimits
  var position = 0
  var nodes: JSONNodeList
  var unescapedText: [UInt8] = []

  /// How many containers lie around an object whose names are not examined.
  private let unexaminedNamesDepth: Int

  /// The index of the innermost open container, or `JSONNode.noParent`.
  private var container = JSONNode.noParent
  private var isInObject = false
  private var depth = 0
  private var valueCount = 0
  /// The names of one large object, kept between objects to save allocations.
  var nameIndices: [UInt32] = []

  private init(
    _ input: UnsafeBufferPointer<UInt8>, room: UnsafeMutableBufferPointer<JSONNode>, limits: JSONLimits,
    unexaminedNamesDepth: Int
  ) {
    unsafe self.input = input
    self.limits = limits
    self.unexaminedNamesDepth = unexaminedNamesDepth
    nodes = unsafe JSONNodeList(in: room)
  }

  static func scan(
    _ input: UnsafeBufferPointer<UInt8>, limits: JSONLimits, unexaminedNamesDepth: Int = .max
  ) throws(JSONError) -> JSONTape {
    guard input.count <= limits.effectiveByteCount else {
      throw JSONError(.limitExceeded, "the text is longer than the limit")
    }
    // A kibibyte, which still goes to the stack: claims sets and headers have less than 64 entries.
    let outcome = unsafe withUnsafeTemporaryAllocation(of: JSONNode.self, capacity: 64) {
      room -> Result<JSONTape, JSONError> in
      var scanner = unsafe JSONScanner(input, room: room, limits: limits, unexaminedNamesDepth: unexaminedNamesDepth)
      defer { scanner.nodes.deallocate() }
      do throws(JSONError) {
        try scanner.scanDocument()
        let text = scanner.unescapedText
        return unsafe .success(JSONTape.make(text: input, unescapedText: text, nodes: &scanner.nodes))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  // MARK: - Grammar

  private enum State { case value, name, afterValue }

  private mutating func scanDocument() throws(JSONError) {
    var state = State.value
    skipWhitespace()
    while true {
      switch state {
      case .value:
        state = try scanValue()
      case .name:
        try scanName()
        state = .value
      case .afterValue:
        skipWhitespace()
        guard container != JSONNode.noParent else {
          guard unsafe position == input.count else {
            throw failure("something stands after the end of the JSON value: remove it")
          }
          return
        }
        state = try scanSeparator()
      }
    }
  }

  /// Reads a scalar, or opens a container. An empty container is closed at once.
  private mutating func scanValue() throws(JSONError) -> State {
    guard unsafe position < input.count else {
      throw failure(
        nodes.count == 0 ? "the text is empty" : "the text ends where a value is expected: take the whole text")
    }
    guard valueCount < limits.maximumElementCount else {
      throw JSONError(.limitExceeded, "the text has more values than the limit", at: position)
    }
    valueCount &+= 1
    switch unsafe input[position] {
    case UInt8(ascii: "\""):
      try scanString()
    case UInt8(ascii: "{"):
      try open(.object)
      skipWhitespace()
      guard peek() == UInt8(ascii: "}") else { return .name }
      try close()
    case UInt8(ascii: "["):
      try open(.array)
      skipWhitespace()
      guard peek() == UInt8(ascii: "]") else { return .value }
      try close()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      try scanNumber()
    case UInt8(ascii: "t"):
      try scanLiteral("true", .bool, .isTrue)
    case UInt8(ascii: "f"):
      try scanLiteral("false", .bool, .init())
    case UInt8(ascii: "n"):
      try scanLiteral("null", .null, .init())
    default:
      throw unexpected("a JSON value is expected")
    }
    return .afterValue
  }

  /// Reads a member's name and the colon.
  private mutating func scanName() throws(JSONError) {
    guard peek() == UInt8(ascii: "\"") else { throw unexpected("a member's name is expected, in double quotes") }
    let object = Int(container)
    guard Int(nodes[object].end) < limits.maximumMemberCount else {
      throw JSONError(.limitExceeded, "an object has more members than the limit", at: position)
    }
    nodes[object].end &+= 1
    if try scanString().contains(.hasNonASCII) { nodes[object].flags.insert(.hasNonASCIIName) }
    skipWhitespace()
    guard peek() == UInt8(ascii: ":") else { throw failure("a colon is expected") }
    position &+= 1
    skipWhitespace()
  }

  /// Reads the comma or bracket after a value within a container.
  private mutating func scanSeparator() throws(JSONError) -> State {
    switch peek() {
    case UInt8(ascii: ","):
      position &+= 1
      skipWhitespace()
      return isInObject ? .name : .value
    case UInt8(ascii: "}") where isInObject, UInt8(ascii: "]") where !isInObject:
      try close()
      return .afterValue
    default:
      throw unsafe failure(
        position < input.count
          ? "a comma or the end of the array or object is expected"
          : "the text ends within an array or object: take the whole text")
    }
  }

  private mutating func scanLiteral(
    _ literal: StaticString, _ kind: JSONKind, _ flags: JSONNode.Flags
  ) throws(JSONError) {
    let start = position
    let count = literal.utf8CodeUnitCount
    guard unsafe input.count &- start >= count else { throw unexpected("a JSON value is expected") }
    for offset in 0..<count where unsafe input[start &+ offset] != literal.utf8Start[offset] {
      throw unexpected("a JSON value is expected")
    }
    position = start &+ count
    append(kind, from: start, to: position, flags)
  }

  // MARK: - Containers

  private mutating func open(_ kind: JSONKind) throws(JSONError) {
    guard depth < limits.effectiveDepth else {
      throw JSONError(.limitExceeded, "arrays and objects are nested deeper than the limit", at: position)
    }
    depth &+= 1
    let index = UInt32(truncatingIfNeeded: nodes.count)
    nodes.append(
      JSONNode(start: UInt32(truncatingIfNeeded: position), end: 0, next: container, kind: kind, flags: .init()))
    container = index
    isInObject = kind == .object
    position &+= 1
  }

  private mutating func close() throws(JSONError) {
    let index = Int(container)
    let memberCount = Int(nodes[index].end)
    position &+= 1
    depth &-= 1
    container = nodes[index].next
    nodes[index].end = UInt32(truncatingIfNeeded: position)
    nodes[index].next = UInt32(truncatingIfNeeded: nodes.count)
    if isInObject, memberCount > 1, depth < unexaminedNamesDepth,
      hasDuplicateName(inObject: index, memberCount: memberCount)
    {
      throw JSONError(.duplicateMember, "an object has two members of one name", at: Int(nodes[index].start))
    }
    isInObject = container != JSONNode.noParent && nodes[Int(container)].kind == .object
  }

  // MARK: - Parts

  /// Adds a scalar's entry. Positions fit `UInt32` because the byte limit is below 2³¹.
  @inline(__always)
  mutating func append(_ kind: JSONKind, from start: Int, to end: Int, _ flags: JSONNode.Flags) {
    let next = UInt32(truncatingIfNeeded: nodes.count &+ 1)
    nodes.append(
      JSONNode(
        start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end), next: next, kind: kind,
        flags: flags))
  }

  @inline(__always)
  func peek() -> UInt8? { unsafe position < input.count ? input[position] : nil }

  @inline(__always)
  private mutating func skipWhitespace() {
    while unsafe position < input.count {
      switch unsafe input[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position &+= 1
      default: return
      }
    }
  }

  /// Whether a comma stands before the position, or before the whitespace that does.
  private var followsComma: Bool {
    var previous = position
    while previous > 0 {
      previous &-= 1
      switch unsafe input[previous] {
      case 0x20, 0x0A, 0x0D, 0x09: continue
      default: return unsafe input[previous] == UInt8(ascii: ",")
      }
    }
    return false
  }

  func failure(_ reason: StaticString) -> JSONError { JSONError(.malformed, reason, at: position) }

  /// What stands where something else is expected, if it is one of the usual mistakes.
  private func unexpected(_ reason: StaticString) -> JSONError {
    switch peek() {
    case UInt8(ascii: "}") where followsComma, UInt8(ascii: "]") where followsComma:
      failure("a comma stands before the closing bracket: remove it")
    case UInt8(ascii: "'"): failure("JSON has double quotes around texts and names, not single ones")
    case UInt8(ascii: "N"), UInt8(ascii: "I"):
      failure("NaN and Infinity are no JSON: write null, or leave the member out")
    case UInt8(ascii: "<"): failure("this is HTML or XML, not JSON: the URL or file is another one")
    default: failure(reason)
    }
  }
}

/// The entries of a text that is being read: a list that begins in the caller's memory, mostly on the stack, and moves
/// to the heap when it outgrows that.
///
/// Places come from the scanner's own count, so they are always in bounds. In one file with the scanner, so that a
/// debug build inlines it.
@safe struct JSONNodeList {
  // Room for `capacity` entries; the first `count` are initialized.
  private var nodes: UnsafeMutablePointer<JSONNode>
  private(set) var count = 0
  private var capacity: Int
  private var isOnHeap: Bool

  /// - Parameter room: memory that outlives the list.
  init(in room: UnsafeMutableBufferPointer<JSONNode>) {
    if let start = room.baseAddress {
      unsafe (nodes, capacity, isOnHeap) = (start, room.count, false)
    } else {
      unsafe (nodes, capacity, isOnHeap) = (.allocate(capacity: 64), 64, true)
    }
  }

  @inline(__always)
  subscript(_ index: Int) -> JSONNode {
    get { unsafe nodes[index] }
    nonmutating _modify { yield unsafe &nodes[index] }
  }

  @inline(__always)
  mutating func append(_ node: JSONNode) {
    if count == capacity { grow() }
    unsafe (nodes + count).initialize(to: node)
    count &+= 1
  }

  @inline(never)
  private mutating func grow() {
    // A text has less than 2³¹ entries.
    let larger = UnsafeMutablePointer<JSONNode>.allocate(capacity: 2 &* capacity)
    unsafe larger.update(from: nodes, count: count)
    deallocate()
    unsafe (nodes, capacity, isOnHeap) = (larger, 2 &* capacity, true)
  }

  /// To be called once, at the end, unless ``takeHeap()`` gave the memory away.
  func deallocate() {
    if isOnHeap { unsafe nodes.deallocate() }
  }

  /// Hands over the memory if it is on the heap; the list is empty afterwards.
  mutating func takeHeap() -> UnsafeMutablePointer<JSONNode>? {
    guard isOnHeap else { return nil }
    (capacity, count, isOnHeap) = (0, 0, false)
    return unsafe nodes
  }

  var start: UnsafePointer<JSONNode> { unsafe UnsafePointer(nodes) }
}
