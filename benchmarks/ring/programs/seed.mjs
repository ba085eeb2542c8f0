// The ring of the Node.js library @nxtedition/shared, re-created from its
// description: a SharedArrayBuffer between a thread that writes and one that
// reads. Messages lie behind their length; -1 in place of a length says that the
// next one is at the start. Indexes are offsets. The original aligns to 4 bytes;
// here it is 8, because set into shared memory takes ten times as long on node 20
// when source and destination differ in that.
//
//	node seed.mjs SKIP TIMED SIZE CAPACITY BATCH
//
// writes SKIP + TIMED + SKIP messages, corked in batches, and prints how many
// nanoseconds reading the middle ones took.

import { writeSync } from 'node:fs'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'

// Words of the state, 128 bytes apart.
const WRITE = 0
const READ = 32
const STATE_BYTES = 256

const TIMEOUT = 60_000
const HEADER = 8
const recordOf = (length) => HEADER + ((length + 7) & ~7)

function alloc(capacity) {
  return { state: new SharedArrayBuffer(STATE_BYTES), memory: new SharedArrayBuffer(capacity) }
}

// A view of the ring and the message in it, reused from call to call.
function dataOf(memory) {
  return { buffer: Buffer.from(memory), view: new DataView(memory), byteOffset: 0, byteLength: 0 }
}

class Reader {
  constructor({ state, memory }) {
    this.state = new Int32Array(state)
    this.words = new Int32Array(memory)
    this.data = dataOf(memory)
  }

  readSome(next, opaque) {
    const { state, words, data } = this
    const write = Atomics.load(state, WRITE)
    const begin = state[READ] // only this thread changes it
    let read = begin
    let count = 0
    let bytes = 0
    while (read !== write && count < 1024 && bytes < 256 * 1024) {
      const length = words[read >> 2]
      if (length < 0) {
        read = 0
        continue
      }
      data.byteOffset = read + HEADER
      data.byteLength = length
      read += recordOf(length)
      if (read === words.length * 4) read = 0
      count++
      bytes += length
      if (next(data, opaque) === false) break
    }
    if (read !== begin) {
      Atomics.store(state, READ, read)
      Atomics.notify(state, READ)
    }
    return count
  }
}

class Writer {
  constructor({ state, memory }) {
    this.state = new Int32Array(state)
    this.words = new Int32Array(memory)
    this.data = dataOf(memory)
    this.capacity = memory.byteLength
    this.highWater = this.capacity / 8
    this.write = 0
    this.read = 0
    this.pending = 0
    this.corked = 0
  }

  writeSync(len, fn, opaque) {
    while (!this.tryWrite(len, fn, opaque)) {
      this.flushSync()
      if (Atomics.wait(this.state, READ, this.read, TIMEOUT) === 'timed-out') throw new Error('the reader does not read')
    }
  }

  tryWrite(len, fn, opaque) {
    const need = recordOf(len)
    if (!this.#fits(need)) {
      this.read = Atomics.load(this.state, READ)
      if (!this.#fits(need)) return false
    }
    if (this.capacity - this.write < need) {
      this.words[this.write >> 2] = -1
      this.write = 0
    }
    const data = this.data
    data.byteOffset = this.write + HEADER
    data.byteLength = len
    const length = fn(data, opaque) - data.byteOffset
    this.words[this.write >> 2] = length
    this.write += recordOf(length)
    if (this.write === this.capacity) this.write = 0
    this.pending += need
    if (this.corked === 0 || this.pending >= this.highWater) this.flushSync()
    return true
  }

  // The two indexes are equal only when the ring is empty.
  #fits(need) {
    const { write, read, capacity } = this
    if (write < read) return read - write > need
    return capacity - write > need || (capacity - write === need && read > 0) || read > need
  }

  cork() {
    this.corked++
  }

  uncork() {
    if (this.corked > 0 && --this.corked === 0) this.flushSync()
  }

  flushSync() {
    if (this.pending > 0) {
      this.pending = 0
      Atomics.store(this.state, WRITE, this.write)
    }
  }
}

// Each message has its number in its first and in its last four bytes.

function readAll({ handle, skip, timed, size }) {
  const reader = new Reader(handle)
  const total = skip + timed + skip
  let number = 0
  let begin
  let end
  const next = (data) => {
    const { view, byteOffset, byteLength } = data
    const first = view.getUint32(byteOffset, true)
    const last = view.getUint32(byteOffset + byteLength - 4, true)
    if (byteLength !== size || first !== number || last !== number) {
      throw new Error(`message ${number} of ${byteLength} bytes is numbered ${first} and ${last}`)
    }
    number++
    if (number === skip) begin = process.hrtime.bigint()
    else if (number === skip + timed) end = process.hrtime.bigint()
  }
  const poll = () => {
    while (number < total && reader.readSome(next) > 0);
    if (number < total) setImmediate(poll)
    else parentPort.postMessage(String(end - begin))
  }
  poll()
}

function writeAll({ handle, skip, timed, size, batch }) {
  const writer = new Writer(handle)
  const message = Buffer.alloc(size)
  const put = (data) => {
    data.buffer.set(message, data.byteOffset)
    return data.byteOffset + size
  }
  const total = skip + timed + skip
  for (let number = 0; number < total; ) {
    const end = Math.min(number + batch, total)
    writer.cork()
    for (; number < end; number++) {
      message.writeUInt32LE(number, 0)
      message.writeUInt32LE(number, size - 4)
      writer.writeSync(size, put)
    }
    writer.uncork()
  }
}

if (isMainThread) {
  const [skip, timed, size, capacity, batch] = process.argv.slice(2).map(Number)
  const order = { handle: alloc(capacity), skip, timed, size, batch }
  const worker = new Worker(new URL(import.meta.url), { workerData: order })
  worker.on('message', (nanoseconds) => console.log(nanoseconds))
  worker.on('online', () => writeAll(order))
} else {
  // The writer may be waiting for room and would not hear of an error.
  process.on('uncaughtException', (err) => {
    writeSync(2, `${err.message}\n`)
    process.kill(process.pid)
  })
  readAll(workerData)
}
