// Does to copies of a ring's memory what the tests in Go ask for, one line of JSON
// each way. Memory and messages are in base64.

import { createInterface } from 'node:readline'
import { Reader, Writer, format, memorySize } from './layout.mjs'

const encode = (bytes) => Buffer.from(bytes).toString('base64')

// Memory of its own that begins at a multiple of 8; a small Buffer does not.
const decode = (text) => new Uint8Array(Buffer.from(text, 'base64'))

const orders = {
  /** Makes a ring. */
  format({ capacity }) {
    const memory = new Uint8Array(memorySize(capacity))
    format(memory)
    return { memory: encode(memory) }
  },

  /** Writes messages until there is no room, and says how many went in. */
  write({ memory, messages, close }) {
    const bytes = decode(memory)
    let presses = 0
    const writer = new Writer(bytes, () => presses++)
    const refused = messages.findIndex((message) => !writer.tryWrite(decode(message)))
    writer.flush()
    if (close) writer.close()
    const { readerClosed } = writer
    return { memory: encode(bytes), written: refused < 0 ? messages.length : refused, presses, closed: readerClosed }
  },

  /** Reads at most so many messages. */
  read({ memory, limit, announce, close }) {
    const bytes = decode(memory)
    const reader = new Reader(bytes)
    const messages = []
    let message
    while (messages.length < limit && (message = reader.tryRead())) messages.push(encode(message))
    reader.release()
    const asleep = announce ? reader.announce() : false
    if (close) reader.close()
    return { memory: encode(bytes), messages, closed: message === undefined && limit > messages.length, asleep }
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { order, ...rest } = JSON.parse(line)
  let answer
  try {
    answer = orders[order](rest)
  } catch (err) {
    answer = { error: err.message }
  }
  console.log(JSON.stringify(answer))
}
