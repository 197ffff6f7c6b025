// Windows and WASI have neither owners of files nor locks that end with a process.
#if !os(Windows) && !os(WASI)
  import JOSE
  import JOSEFoundation
  import NativeSSOKit

  /// Why a store in files failed.
  public typealias FileStoreError = JOSEFoundation.FileStoreError

  /// A shared store in files of mode 0600, for systems without a keychain.
  ///
  /// Each issuer has a file. A new content is written beside it, flushed, and renamed over it, so that a crash leaves
  /// the old one or the new one. Writers of all processes take turns through a lock file.
  public struct FileSSOPairStore: SSOPairStore {
    private var files: PrivateFiles

    /// Runs after the new content has been written and before it takes the old one's place. For tests of crashes.
    package var beforeRename: @Sendable () throws -> Void {
      get { files.beforeRename }
      set { files.beforeRename = newValue }
    }

    /// A store in a directory, which is made with mode 0700 if it is not there.
    ///
    /// - Throws: `FileStoreError` if the directory can't be made, or is readable by others.
    public init(directory: String) throws {
      files = try PrivateFiles(directory: directory)
    }

    /// The entry of an issuer.
    ///
    /// - Throws: `FileStoreError`, what reading the file throws, and `NativeSSOError` with the code `recordMalformed`
    ///   for one that is not legal.
    public func read(issuer: String) throws -> SSOPairEntry {
      try files.read(Self.name(issuer)).map { try SSOPairEntry(parsing: $0) } ?? .empty
    }

    /// Writes if the generation is still this one.
    ///
    /// - Throws: as ``read(issuer:)``, and what writing throws. The file then has the old content or the new one.
    public func replace(issuer: String, expecting generation: UInt64, with pair: SSOPair?) throws -> Bool {
      var isWritten = false
      try files.change(Self.name(issuer)) { content in
        // What can't be read counts as empty, so that it is written over.
        let entry = content.flatMap { try? SSOPairEntry(parsing: $0) } ?? .empty
        guard entry.generation == generation else { return .none }
        isWritten = true
        return .write(entry.next(pair).serialized)
      }
      return isWritten
    }

    /// A file name that any issuer fits in. Names are not secret.
    private static func name(_ issuer: String) -> String { SignatureAlgorithm.es256.leftHalfHash(of: issuer) + ".json" }
  }
#endif
