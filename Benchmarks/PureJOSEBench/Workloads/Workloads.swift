import PureJOSEBenchmarking

/// Everything that is measured, from the bottom of the package to the top.
enum Workloads {
  static func all() async throws -> [Workload] {
    var workloads = SHA2Workloads.all() + SHA3Workloads.all() + (try HMACWorkloads.all())
    workloads += try AESGCMWorkloads.all() + ChaChaPolyWorkloads.all()
    workloads += try P256Workloads.all()
    workloads += try KeyDerivationWorkloads.all()
    workloads += try PrimeCurveWorkloads.all()
    workloads += try Curve25519Workloads.all()
    workloads += try RSAWorkloads.all()
    workloads += try MLDSAWorkloads.all() + KEMWorkloads.all() + HPKEWorkloads.all()
    workloads += try JSONWorkloads.all()
    workloads += Base64URLWorkloads.all()
    workloads += try JOSEWorkloads.all()
    workloads += try await CredentialWorkloads.all()
    workloads += try HostileWorkloads.all()
    workloads += try HostileMessageWorkloads.all()
    workloads += try await PlatformSSOWorkloads.all()
    workloads += try await TokenRefreshWorkloads.all()
    return workloads
  }
}
