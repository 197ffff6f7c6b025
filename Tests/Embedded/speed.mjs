// Measures programs made of Speed/ in Node, fastest of many rounds, and prints a row of a table for each operation and length.
//
// usage: node --no-liftoff --no-wasm-lazy-compilation speed.mjs PROGRAM.wasm …
//
// Without these two options the engine begins with its quick compiler, and the first rounds are ten times slower.
import { readFileSync } from "node:fs";

const programs = [];
for (const path of process.argv.slice(2)) {
  let memory;
  const calls = {
    fd_read: () => 1,
    fd_write: () => 1,
    random_get: (address, count) => {
      crypto.getRandomValues(new Uint8Array(memory.buffer, address, count));
      return 0;
    },
    proc_exit: () => { throw new Error("the program gave up"); },
  };
  const { instance } = await WebAssembly.instantiate(readFileSync(path), { wasi_snapshot_preview1: calls });
  memory = instance.exports.memory;
  programs.push(instance.exports);
}

// Nanoseconds for one octet: programs in turns, so that all see the same machine.
const measure = (operation, length) => {
  const times = programs.map(() => Infinity);
  const count = Math.max(1, Math.floor(100_000 / length));
  for (const program of programs) program.prepare(length);
  for (let round = 0; round < 40; round++) {
    programs.forEach((program, index) => {
      const begin = process.hrtime.bigint();
      for (let i = 0; i < count; i++) program[operation]();
      const elapsed = Number(process.hrtime.bigint() - begin) / count / length;
      times[index] = Math.min(times[index], elapsed);
    });
  }
  return times;
};

for (const operation of ["sha256", "sha512", "aes256gcm"]) {
  for (const length of [64, 1024, 16384]) {
    const cells = measure(operation, length).map((time) => time.toFixed(2));
    console.log(`| ${operation}, ${length} octets | ${cells.join(" | ")} |`);
  }
}
