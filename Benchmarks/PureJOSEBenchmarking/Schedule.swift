/// How long to measure: so many rounds, in each of which every workload runs one batch of about this duration.
package struct Schedule: Sendable {
  package let roundCount: Int
  package let batchNanoseconds: Double

  /// Batches are much shorter than a scheduler's time slice, so that most of them run undisturbed on a busy machine.
  package static let full = Schedule(roundCount: 201, batchNanoseconds: 250_000)
  /// For CI: shows that everything runs, and roughly how fast.
  package static let quick = Schedule(roundCount: 11, batchNanoseconds: 250_000)

  package init(roundCount: Int, batchNanoseconds: Double) {
    self.roundCount = roundCount
    self.batchNanoseconds = batchNanoseconds
  }
}
