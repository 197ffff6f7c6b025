/// How long to measure: so many rounds, in each of which every workload runs one batch of about this duration.
public struct Schedule: Sendable {
  /// How many batches each workload runs.
  public let roundCount: Int
  /// How long a batch is meant to take.
  public let batchNanoseconds: Double

  /// Batches are much shorter than a scheduler's time slice, so that most of them run undisturbed on a busy machine.
  public static let full = Schedule(roundCount: 201, batchNanoseconds: 250_000)
  /// For CI: shows that everything runs, and roughly how fast.
  public static let quick = Schedule(roundCount: 11, batchNanoseconds: 250_000)

  /// A schedule of at least one round.
  public init(roundCount: Int, batchNanoseconds: Double) {
    self.roundCount = roundCount
    self.batchNanoseconds = batchNanoseconds
  }
}
