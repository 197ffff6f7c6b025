// Runs a program of this folder in Node's WebAssembly engine, which has 128-bit vectors: the four calls of WASI that it makes.
//
// usage: node run.mjs PROGRAM.wasm < INPUT
import { readFileSync, writeSync } from "node:fs";

const input = readFileSync(0);
let offset = 0;
let memory;

// The octets that one vector (address, count) of a WASI call names.
const vector = (address) => {
  const view = new DataView(memory.buffer);
  return new Uint8Array(memory.buffer, view.getUint32(address, true), view.getUint32(address + 4, true));
};
const answer = (address, count) => {
  new DataView(memory.buffer).setUint32(address, count, true);
  return 0;
};
const calls = {
  fd_read: (descriptor, vectors, count, result) => {
    const room = vector(vectors);
    const chunk = input.subarray(offset, offset + room.length);
    room.set(chunk);
    offset += chunk.length;
    return answer(result, chunk.length);
  },
  fd_write: (descriptor, vectors, count, result) => answer(result, writeSync(descriptor, vector(vectors))),
  random_get: (address, count) => {
    crypto.getRandomValues(new Uint8Array(memory.buffer, address, count));
    return 0;
  },
  proc_exit: (status) => process.exit(status),
};

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), { wasi_snapshot_preview1: calls });
memory = instance.exports.memory;
instance.exports._start();
