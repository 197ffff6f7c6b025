import Benchmarking

/// Everything that is measured, from the bottom of the package to the top.
enum Workloads {
  static func all() throws -> [Workload] {
    try SHA2Workloads.all() + HMACWorkloads.all() + P256Workloads.all() + JSONWorkloads.all()
  }
}
