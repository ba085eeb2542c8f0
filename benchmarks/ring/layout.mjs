// Both sides of tenon's ring in JavaScript, made from RING.md alone, over any
// memory that begins at a multiple of 8: a Uint8Array of a SharedArrayBuffer, or
// of a copy of another process's memory. Nobody sleeps here; who sleeps on the
// other side is woken.

const MAGIC = 0x474e5254
const VERSION = 1
const HEADER_BYTES = 640
const MIN_CAPACITY = 2 ** 12
const MAX_CAPACITY = 2 ** 30

// Words of the header, as indexes of an Int32Array.
const WORD = {
  magic: 0,
  version: 4 / 4,
  capacity: 8 / 4,
  head: 128 / 4,
  readerSleeps: 132 / 4,
  readerClosed: 136 / 4,
  writerClosed: 140 / 4,
  tail: 256 / 4,
  writerSleeps: 260 / 4,
  readerWake: 384 / 4,
  writerWake: 512 / 4,
}

const AWAKE = 0
const ASLEEP = 1
const AT_DOORBELL = 2

const RECORD_HEADER = 8
const DATA = 1
const PADDING = 2

// Not with & ~7: that would make 32 bits of a length that a hostile peer wrote.
const recordSize = (length) => RECORD_HEADER + Math.ceil(length / 8) * 8

const isPowerOfTwo = (n) => (n & (n - 1)) === 0

/** The bytes of memory for a ring of this capacity. */
export const memorySize = (capacity) => HEADER_BYTES + capacity

function capacityOf(memory) {
  const capacity = memory.byteLength - HEADER_BYTES
  if (capacity < MIN_CAPACITY || capacity > MAX_CAPACITY || !isPowerOfTwo(capacity)) {
    throw new Error(`ring: ${memory.byteLength} bytes of memory`)
  }
  if (memory.byteOffset % 8 !== 0) throw new Error('ring: the memory must start at a multiple of 8')
  return capacity
}

/** Makes memory an empty ring. */
export function format(memory) {
  const capacity = capacityOf(memory)
  memory.fill(0, 0, HEADER_BYTES)
  const words = new Words(memory)
  words.store(WORD.version, VERSION)
  words.store(WORD.capacity, capacity)
  words.store(WORD.magic, MAGIC)
}

/** The words that both sides see. */
class Words {
  #words

  constructor(memory) {
    this.#words = new Int32Array(memory.buffer, memory.byteOffset, HEADER_BYTES / 4)
  }

  load(word) {
    return Atomics.load(this.#words, word) >>> 0
  }

  store(word, value) {
    Atomics.store(this.#words, word, value)
  }

  /** Wakes the side with these words, if it sleeps. */
  rouse(sleeps, wake, press) {
    if (this.load(sleeps) === AWAKE) return
    const where = Atomics.exchange(this.#words, sleeps, AWAKE)
    if (where !== ASLEEP && where !== AT_DOORBELL) return
    Atomics.add(this.#words, wake, 1)
    if (where === AT_DOORBELL) press?.()
    else Atomics.notify(this.#words, wake)
  }
}

/** What a reader and a writer have in common. */
class Side {
  words
  bytes
  view
  capacity
  head
  tail

  constructor(memory) {
    this.capacity = capacityOf(memory)
    this.words = new Words(memory)
    this.bytes = memory.subarray(HEADER_BYTES)
    this.view = new DataView(memory.buffer, memory.byteOffset + HEADER_BYTES, this.capacity)
    const magic = this.words.load(WORD.magic)
    if (magic !== MAGIC) throw new Error(`ring: no ring (magic ${magic.toString(16)})`)
    const version = this.words.load(WORD.version)
    if (version !== VERSION) throw new Error(`ring: version ${version}, not ${VERSION}`)
    if (this.words.load(WORD.capacity) !== this.capacity) throw new Error('ring: the capacity is not that of the memory')
    this.head = this.words.load(WORD.head)
    this.tail = this.words.load(WORD.tail)
    if (this.head % 8 !== 0 || this.tail % 8 !== 0 || this.distance(this.tail, this.head) > this.capacity) {
      throw this.corrupt(`head ${this.head}, tail ${this.tail}`)
    }
  }

  /** How far index b is ahead of a. */
  distance(a, b) {
    return (b - a) >>> 0
  }

  at(index) {
    return index & (this.capacity - 1)
  }

  corrupt(why) {
    return new Error(`ring: corrupt: ${why}`)
  }
}

/** Puts messages into a ring. The reader sees them after flush. */
export class Writer extends Side {
  #published
  #press

  /** press rings the doorbell of a reader that sleeps there. */
  constructor(memory, press) {
    super(memory)
    this.#published = this.head
    this.#press = press
  }

  get maxRecord() {
    return this.capacity / 2 - RECORD_HEADER
  }

  /** Returns false when there is no room. */
  tryWrite(message) {
    const length = message.byteLength
    if (length > this.maxRecord) throw new Error(`ring: a message of ${length} bytes, the longest has ${this.maxRecord}`)
    const need = recordSize(length)
    const left = this.capacity - this.at(this.head)
    const padding = left < need ? left : 0
    if (this.#free() < padding + need) {
      this.#look()
      if (this.#free() < padding + need) return false
    }
    if (padding > 0) {
      this.#header(padding - RECORD_HEADER, PADDING)
      this.#advance(padding)
    }
    this.#header(length, DATA)
    this.bytes.set(message, this.at(this.head) + RECORD_HEADER)
    this.#advance(need)
    return true
  }

  flush() {
    if (this.head === this.#published) return
    this.words.store(WORD.head, this.head)
    this.#published = this.head
    this.words.rouse(WORD.readerSleeps, WORD.readerWake, this.#press)
  }

  get readerClosed() {
    return this.words.load(WORD.readerClosed) !== 0
  }

  close() {
    this.words.store(WORD.writerClosed, 1)
    this.words.rouse(WORD.readerSleeps, WORD.readerWake, this.#press)
  }

  #free() {
    return this.capacity - this.distance(this.tail, this.head)
  }

  #look() {
    const tail = this.words.load(WORD.tail)
    if (tail % 8 !== 0 || this.distance(this.tail, tail) > this.distance(this.tail, this.#published)) {
      throw this.corrupt(`tail ${tail} outside of ${this.tail} to ${this.#published}`)
    }
    this.tail = tail
  }

  #header(length, kind) {
    const at = this.at(this.head)
    this.view.setUint32(at, length, true)
    this.view.setUint32(at + 4, kind, true)
  }

  #advance(bytes) {
    this.head = (this.head + bytes) >>> 0
  }
}

/** Takes messages out of a ring. */
export class Reader extends Side {
  #next // behind the message that is lent out
  #returned // the tail that the writer knows

  constructor(memory) {
    super(memory)
    this.head = this.tail // what was seen of the writer so far: nothing
    this.#next = this.#returned = this.tail
  }

  /**
   * The next message, where it lies, until the next call; null when there is
   * none, undefined when there never will be.
   */
  tryRead() {
    this.tail = this.#next
    if (this.tail === this.head) {
      const closed = this.words.load(WORD.writerClosed) !== 0 // before the look: what came before is seen
      if (!this.#look()) return closed ? undefined : null
    }
    let { length, kind } = this.#record(this.tail)
    let at = this.tail
    if (kind === PADDING) {
      const left = this.capacity - this.at(at)
      if (recordSize(length) !== left || left >= this.distance(at, this.head)) throw this.corrupt(`padding of ${length} bytes`)
      at = (at + left) >>> 0
      ;({ length, kind } = this.#record(at))
    }
    const size = recordSize(length)
    const begin = this.at(at)
    if (kind !== DATA || size > this.distance(at, this.head) || size > this.capacity - begin) {
      throw this.corrupt(`record of kind ${kind} and ${length} bytes`)
    }
    this.#next = (at + size) >>> 0
    if (this.distance(this.#returned, this.tail) >= this.capacity / 8) this.#giveBack()
    return this.bytes.subarray(begin + RECORD_HEADER, begin + RECORD_HEADER + length)
  }

  /** Gives back the message that is lent out, and all before. */
  release() {
    this.tail = this.#next
    this.#giveBack()
  }

  /** Announces a sleeper. False when there is something to read, or the end. */
  announce() {
    this.release()
    this.words.store(WORD.readerSleeps, ASLEEP)
    return this.words.load(WORD.head) === this.tail && this.words.load(WORD.writerClosed) === 0
  }

  close() {
    this.words.store(WORD.readerClosed, 1)
    this.words.rouse(WORD.writerSleeps, WORD.writerWake)
  }

  #look() {
    const head = this.words.load(WORD.head)
    if (head % 8 !== 0 || this.distance(this.tail, head) > this.capacity) throw this.corrupt(`head ${head}, tail ${this.tail}`)
    this.head = head
    if (head !== this.tail) return true
    if (this.#returned !== this.tail) this.#giveBack()
    else if (this.words.load(WORD.tail) !== this.tail) throw this.corrupt('the tail is not what this side wrote')
    return false
  }

  #record(index) {
    const at = this.at(index)
    return { length: this.view.getUint32(at, true), kind: this.view.getUint32(at + 4, true) }
  }

  #giveBack() {
    this.words.store(WORD.tail, this.tail)
    this.#returned = this.tail
    this.words.rouse(WORD.writerSleeps, WORD.writerWake)
  }
}
