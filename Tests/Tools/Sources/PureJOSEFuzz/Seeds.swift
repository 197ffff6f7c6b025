import Foundation
import PureJOSEFuzzTargets

/// Writes a target's seeds, one file each, and its dictionary beside the folder.
func writeSeeds(of target: FuzzTarget, from vectors: String, to folder: String) throws {
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  for (index, seed) in try target.seeds(VectorFolderReader(folder: vectors)).enumerated() {
    try Data(seed).write(to: URL(fileURLWithPath: "\(folder)/seed-\(index)"))
  }
  let words = target.dictionary.map { word in
    let octets = word.utf8.map { octet in
      (0x20...0x7E).contains(octet) && octet != 0x22 && octet != 0x5C
        ? String(UnicodeScalar(octet)) : "\\x" + (octet < 16 ? "0" : "") + String(octet, radix: 16)
    }
    return "\"\(octets.joined())\"\n"
  }
  try Data(words.joined().utf8).write(to: URL(fileURLWithPath: folder + ".dict"))
}
