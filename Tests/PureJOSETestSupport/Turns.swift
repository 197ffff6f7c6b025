/// Lets one of several tasks go on at a time, each as far as its next step, in an order that is given.
package actor Turns {
  /// Which of the tasks this is.
  @TaskLocal package static var task = 0

  private let order: [Int]
  private var running: Set<Int>
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  /// Which of those that waited went on, and how many waited, at each step.
  package private(set) var taken: [(choice: Int, of: Int)] = []

  /// - Parameter order: at each step, which of those that wait goes on; later the first one.
  package init(tasks: Int, order: [Int]) {
    self.order = order
    running = Set(0..<tasks)
  }

  /// Waits until it is this task's turn.
  package func step() async {
    let task = Turns.task
    await withCheckedContinuation { continuation in
      waiting[task] = continuation
      running.remove(task)
      goOn()
    }
  }

  /// This task takes no more steps.
  package func finish() {
    running.remove(Turns.task)
    goOn()
  }

  private func goOn() {
    guard running.isEmpty, !waiting.isEmpty else { return }
    let tasks = waiting.keys.sorted()
    let choice = taken.count < order.count ? order[taken.count] : 0
    taken.append((choice, tasks.count))
    running.insert(tasks[choice])
    waiting.removeValue(forKey: tasks[choice])?.resume()
  }

  /// The order after one that was played: the last step that could have gone otherwise goes otherwise. Nil after the
  /// last.
  package static func next(after taken: [(choice: Int, of: Int)]) -> [Int]? {
    guard let last = taken.lastIndex(where: { $0.choice + 1 < $0.of }) else { return nil }
    return taken[..<last].map(\.choice) + [taken[last].choice + 1]
  }
}
