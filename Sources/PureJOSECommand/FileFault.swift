import Foundation

/// Why the system doesn't open a file.
struct FileFault: Error {
  private let code: Int32

  /// A file by its path.
  ///
  /// - Parameter flags: as of `open(2)`. A file that comes by it is its owner's alone.
  static func opened(_ path: String, _ flags: Int32) throws -> FileHandle {
    let descriptor = open(path, flags, 0o600)
    guard descriptor >= 0 else { throw FileFault(code: errno) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// What to say of an error that came from opening, reading or writing a file.
  ///
  /// - Parameter isNew: whether the file was to be made, so that it is its folder that is absent.
  static func reason(_ error: any Error, _ path: String, isNew: Bool) -> String {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      return "it is a folder"
    }
    guard let fault = error as? FileFault else { return isNew ? "writing failed" : "reading failed" }
    return fault.code == ENOENT && isNew ? "no such folder" : reason(fault.code)
  }

  /// What an `errno` of `open(2)` means.
  static func reason(_ code: Int32) -> String {
    switch code {
    case ENOENT: "no such file"
    case ENOTDIR: "a part of its path is no folder"
    case EACCES, EPERM: "no permission"
    case EISDIR: "it is a folder"
    case EROFS: "the volume is read-only"
    case EMFILE, ENFILE: "too many files are open"
    default: "error \(code) of the system"
    }
  }
}
