/// Tokens in the order in which they expire: a binary heap of their places. Each token keeps its index here, so that
/// any can be removed.
struct ExpiryQueue {
  /// No token expires before the one at half its index.
  private var heap: [Int] = []
  private let index: WritableKeyPath<NotedToken, Int> & Sendable

  /// A queue whose indices tokens keep in this member.
  init(of index: WritableKeyPath<NotedToken, Int> & Sendable) {
    self.index = index
  }

  var count: Int { heap.count }

  /// The place of the token that expires first.
  var first: Int? { heap.first }

  mutating func insert(_ place: Int, _ tokens: inout [NotedToken]) {
    heap.append(place)
    rise(from: heap.count - 1, &tokens)
  }

  mutating func remove(_ place: Int, _ tokens: inout [NotedToken]) {
    let vacant = tokens[place][keyPath: index]
    guard let last = heap.popLast(), vacant < heap.count else { return }
    heap[vacant] = last
    sink(from: rise(from: vacant, &tokens), &tokens)
  }

  /// Moves a token up to where it belongs.
  /// - Returns: its index there.
  @discardableResult
  private mutating func rise(from start: Int, _ tokens: inout [NotedToken]) -> Int {
    let place = heap[start]
    var index = start
    while index > 0, tokens[place].second < tokens[heap[(index - 1) / 2]].second {
      put(heap[(index - 1) / 2], at: index, &tokens)
      index = (index - 1) / 2
    }
    put(place, at: index, &tokens)
    return index
  }

  private mutating func sink(from start: Int, _ tokens: inout [NotedToken]) {
    let place = heap[start]
    var index = start
    while true {
      var child = 2 * index + 1
      if child + 1 < heap.count, tokens[heap[child + 1]].second < tokens[heap[child]].second { child += 1 }
      guard child < heap.count, tokens[heap[child]].second < tokens[place].second else { break }
      put(heap[child], at: index, &tokens)
      index = child
    }
    put(place, at: index, &tokens)
  }

  private mutating func put(_ place: Int, at newIndex: Int, _ tokens: inout [NotedToken]) {
    heap[newIndex] = place
    tokens[place][keyPath: index] = newIndex
  }
}
