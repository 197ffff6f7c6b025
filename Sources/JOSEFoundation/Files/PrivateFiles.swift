// Windows and WASI have neither owners of files nor locks that end with a process.
#if !os(Windows) && !os(WASI)
  import Foundation

  /// Why a store in files failed.
  public enum FileStoreError: Error, Sendable {
    /// A call to the system failed.
    case failed
    /// A file or the directory belongs to another user, or is accessible to others.
    case notPrivate
  }

  extension FileStoreError: CustomStringConvertible {
    /// The cause, and what to do.
    public var description: String {
      switch self {
      case .failed:
        "the system refused to read or write the store's files: look at permissions, and whether the volume is full"
      case .notPrivate:
        "the store's files are open to others: make them the process's own, the directory 0700 and the files 0600"
      }
    }
  }

  /// Files of mode 0600 in a directory of mode 0700, for stores: each has an old content or a new one, also after a
  /// crash, and writers of all processes take turns.
  package struct PrivateFiles: Sendable {
    /// What is to be written in place of a file's content.
    package enum Change: Sendable {
      /// Nothing: the file stays as it is.
      case none
      /// These octets.
      case write([UInt8])
      /// The file goes.
      case remove
    }

    // Calls of the C library get texts and memory that live for the call, and keep none of it.
    private let directory: String
    /// Runs after the new content has been written and before it takes the old one's place. For tests of crashes.
    package var beforeRename: @Sendable () throws -> Void = {}

    /// Files in a directory, which is made if it is not there.
    ///
    /// - Throws: ``FileStoreError`` if the directory can't be made, or is readable by others.
    package init(directory: String) throws(FileStoreError) {
      self.directory = directory
      if unsafe mkdir(directory, 0o700) != 0, errno != EEXIST { throw FileStoreError.failed }
      var status = stat()
      guard unsafe stat(directory, &status) == 0, status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
        throw FileStoreError.notPrivate
      }
    }

    /// A file's content, or nil if there is no such file.
    ///
    /// - Throws: ``FileStoreError``, and what reading throws.
    package func read(_ name: String) throws -> [UInt8]? {
      let file = unsafe open(path(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
      guard file >= 0 else {
        if errno == ENOENT { return nil }
        throw FileStoreError.failed
      }
      let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
      var status = stat()
      guard unsafe fstat(file, &status) == 0, status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
        throw FileStoreError.notPrivate
      }
      return [UInt8](try handle.readToEnd() ?? Data())
    }

    /// Changes a file, while no other writer does, by what its content is.
    ///
    /// - Throws: ``FileStoreError``, what `change` throws, and what reading and writing throw. The file then has the
    ///   old content or the new one.
    package func change(_ name: String, _ change: ([UInt8]?) throws -> Change) throws {
      let lock = unsafe open(path(name) + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard lock >= 0 else { throw FileStoreError.failed }
      // Closing releases the lock.
      defer { close(lock) }
      guard flock(lock, LOCK_EX) == 0 else { throw FileStoreError.failed }
      switch try change(try read(name)) {
      case .none: return
      case .write(let bytes): try write(bytes, to: path(name))
      case .remove: if unsafe unlink(path(name)) != 0, errno != ENOENT { throw FileStoreError.failed }
      }
      // What has changed in the directory lasts once it has been flushed.
      let folder = unsafe open(directory, O_RDONLY | O_CLOEXEC)
      guard folder >= 0 else { throw FileStoreError.failed }
      defer { close(folder) }
      guard fsync(folder) == 0 else { throw FileStoreError.failed }
    }

    /// Where a file is.
    package func path(_ name: String) -> String { directory + "/" + name }

    private func write(_ bytes: [UInt8], to path: String) throws {
      // The lock is held, so this name is ours; what a crash has left there is replaced.
      let temporary = path + ".new"
      unsafe unlink(temporary)
      let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else { throw FileStoreError.failed }
      let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
      try handle.write(contentsOf: Data(bytes))
      guard fsync(file) == 0 else { throw FileStoreError.failed }
      try handle.close()
      try beforeRename()
      guard unsafe rename(temporary, path) == 0 else { throw FileStoreError.failed }
    }
  }
#endif
