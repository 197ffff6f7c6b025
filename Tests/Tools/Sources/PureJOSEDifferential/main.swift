// Answers the cases of the differential campaign with this package: frames of requests on standard input, frames of
// answers on standard output.
//
//   PureJOSEDifferential [--wrong]
//
// With --wrong the last answer of each frame is changed in one bit, or a refusal becomes an answer: a campaign that
// doesn't report it proves nothing.
import PureCrypto

let isWrong = CommandLine.arguments.contains("--wrong")
let memory = GuardedMemory()
let commands = Commands.all

while let frame = Frames.next() {
  var answers: [(FrameWriter.Status, [[UInt8]])] = []
  frame.withUnsafeBytes { frame in
    var reader = FrameReader(frame)
    while !reader.isAtEnd {
      let request = Request(&reader, memory: memory)
      guard let command = commands[request.command] else {
        answers.append((.misunderstood, []))
        continue
      }
      do {
        answers.append((.done, try command(request)))
      } catch is CryptoError {
        answers.append((.refused, []))
      } catch {
        answers.append((.misunderstood, []))
      }
    }
  }
  if isWrong, let last = answers.indices.last {
    if let place = answers[last].1.indices.last(where: { !answers[last].1[$0].isEmpty }) {
      answers[last].1[place][0] ^= 1
    } else {
      answers[last].0 = answers[last].0 == .done ? .refused : .done
    }
  }
  var writer = FrameWriter()
  for (status, fields) in answers { writer.append(status: status, fields) }
  Frames.send(writer.octets)
}
