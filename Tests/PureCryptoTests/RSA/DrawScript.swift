#if DEBUG
  import PureCrypto
  import Synchronization

  /// Random numbers for the search for primes of 1024 bits: those that a test gives, and then those of the system.
  final class DrawScript: Sendable {
    private struct State {
      var candidates: [[UInt64]]
      var bases: [[UInt64]]
      var counts = [0, 0]
    }

    private let state: Mutex<State>

    /// - Parameter candidates: of 16 limbs.
    /// - Parameter bases: of 18. An empty one stands for a random one, as among candidates.
    init(candidates: [[UInt64]], bases: [[UInt64]]) {
      state = Mutex(State(candidates: candidates, bases: bases))
    }

    /// How many candidates were drawn, and how many bases.
    var counts: [Int] { state.withLock { $0.counts } }

    /// Fills memory as long as a candidate or a base.
    func fill(_ memory: UnsafeMutableRawBufferPointer) -> Bool {
      let next: [UInt64] = state.withLock { state in
        switch memory.count {
        case 8 * 16:
          state.counts[0] += 1
          return state.candidates.isEmpty ? [] : state.candidates.removeFirst()
        case 8 * 18:
          state.counts[1] += 1
          return state.bases.isEmpty ? [] : state.bases.removeFirst()
        default: return []
        }
      }
      var generator = SystemRandomNumberGenerator()
      SystemRandom.fill(memory, using: &generator)
      for (index, limb) in next.enumerated() {
        memory.storeBytes(of: limb, toByteOffset: 8 * index, as: UInt64.self)
      }
      return true
    }
  }
#endif
