/// The entries of a text that is being read: a list that begins in memory which somebody else has, mostly on the stack, and moves to the
/// heap when it outgrows that.
///
/// Places come from the scanner's own count, so they are always in bounds.
struct JSONNodeList {
  private var nodes: UnsafeMutablePointer<JSONNode>
  private(set) var count = 0
  private var capacity: Int
  private var isOnHeap: Bool

  /// - Parameter room: memory that outlives the list.
  init(in room: UnsafeMutableBufferPointer<JSONNode>) {
    if let start = room.baseAddress {
      (nodes, capacity, isOnHeap) = (start, room.count, false)
    } else {
      (nodes, capacity, isOnHeap) = (.allocate(capacity: 64), 64, true)
    }
  }

  @inline(__always)
  subscript(_ index: Int) -> JSONNode {
    get { nodes[index] }
    nonmutating _modify { yield &nodes[index] }
  }

  @inline(__always)
  mutating func append(_ node: JSONNode) {
    if count == capacity { grow() }
    (nodes + count).initialize(to: node)
    count &+= 1
  }

  @inline(never)
  private mutating func grow() {
    // A text has less than 2³¹ entries.
    let larger = UnsafeMutablePointer<JSONNode>.allocate(capacity: 2 &* capacity)
    larger.update(from: nodes, count: count)
    deallocate()
    (nodes, capacity, isOnHeap) = (larger, 2 &* capacity, true)
  }

  /// To be called once, at the end, unless ``takeHeap()`` gave the memory to somebody else.
  func deallocate() {
    if isOnHeap { nodes.deallocate() }
  }

  /// Hands over the memory if it is on the heap; the list is empty afterwards.
  mutating func takeHeap() -> UnsafeMutablePointer<JSONNode>? {
    guard isOnHeap else { return nil }
    (capacity, count, isOnHeap) = (0, 0, false)
    return nodes
  }

  var start: UnsafePointer<JSONNode> { UnsafePointer(nodes) }
}
