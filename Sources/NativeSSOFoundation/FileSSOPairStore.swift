// Windows and WASI have neither owners of files nor locks that end with a process.
#if !os(Windows) && !os(WASI)
  import Foundation
  import NativeSSO

  /// A shared store in files of mode 0600, for systems without a keychain.
  ///
  /// Each issuer has a file. A new content is written beside it, flushed, and renamed over it, so that a crash leaves the old one or the new
  /// one. Writers of all processes take turns through a lock file.
  public struct FileSSOPairStore: SSOPairStore {
    private let directory: String
    /// Runs after the new content has been written and before it takes the old one's place. For tests of crashes.
    package var beforeRename: @Sendable () throws -> Void = {}

    /// A store in a directory, which is made with mode 0700 if it is not there.
    ///
    /// - Throws: ``FileStoreError`` if the directory can't be made, or is readable by others.
    public init(directory: String) throws {
      self.directory = directory
      if mkdir(directory, 0o700) != 0, errno != EEXIST { throw FileStoreError.failed }
      var status = stat()
      guard stat(directory, &status) == 0, status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
        throw FileStoreError.notPrivate
      }
    }

    /// The entry of an issuer.
    ///
    /// - Throws: ``FileStoreError``, what reading the file throws, and `NativeSSOError` with the code `storedPairInvalid` for one that is not
    ///   legal.
    public func read(issuer: String) throws -> SSOPairEntry { try load(path(issuer)) }

    /// Writes if the generation is still this one.
    ///
    /// - Throws: as ``read(issuer:)``, and what writing throws. The file then has the old content or the new one.
    public func replace(issuer: String, expecting generation: UInt64, with pair: SSOPair?) throws -> Bool {
      let path = path(issuer)
      let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard lock >= 0 else { throw FileStoreError.failed }
      // Closing releases the lock.
      defer { close(lock) }
      guard flock(lock, LOCK_EX) == 0 else { throw FileStoreError.failed }
      let entry = try loadReadable(path)
      guard entry.generation == generation else { return false }
      try write(entry.next(pair).serialized, to: path)
      return true
    }

    /// A file name that any issuer fits in. Names are not secret.
    private func path(_ issuer: String) -> String {
      directory + "/" + LeftHalfHash.value(of: issuer) + ".json"
    }

    private func load(_ path: String) throws -> SSOPairEntry {
      let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
      guard file >= 0 else {
        if errno == ENOENT { return .empty }
        throw FileStoreError.failed
      }
      let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
      var status = stat()
      guard fstat(file, &status) == 0, status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
        throw FileStoreError.notPrivate
      }
      return try SSOPairEntry(parsing: [UInt8](handle.readToEnd() ?? Data()))
    }

    /// What can't be read counts as empty, so that it is written over.
    private func loadReadable(_ path: String) throws -> SSOPairEntry {
      do {
        return try load(path)
      } catch let error as NativeSSOError where error.code == .storedPairInvalid {
        return .empty
      }
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
      // The lock is held, so this name is ours; what a crash has left there is replaced.
      let temporary = path + ".new"
      unlink(temporary)
      let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else { throw FileStoreError.failed }
      let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
      try handle.write(contentsOf: Data(bytes))
      guard fsync(file) == 0 else { throw FileStoreError.failed }
      try handle.close()
      try beforeRename()
      guard rename(temporary, path) == 0 else { throw FileStoreError.failed }
      // The rename itself lasts once the directory has been flushed.
      let folder = open(directory, O_RDONLY | O_CLOEXEC)
      guard folder >= 0 else { throw FileStoreError.failed }
      defer { close(folder) }
      guard fsync(folder) == 0 else { throw FileStoreError.failed }
    }
  }

  /// Why a file store failed.
  public enum FileStoreError: Error, Sendable {
    /// A call to the system failed.
    case failed
    /// A file or the directory belongs to somebody else, or is accessible to others.
    case notPrivate
  }
#endif
