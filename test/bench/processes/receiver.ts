import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createArrivals } from '../arrivals.ts'
import { numberIn } from '../mark.ts'
import { serve } from '../serve.ts'

/** A webhook receiver: answers everything with 200 and records when each number first came. */
const arrivals = createArrivals()
let stalled: Promise<unknown> = Promise.resolve()

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => {
    text += chunk
  })
  request.on('end', () => {
    const number = numberIn(text)
    if (number !== undefined) arrivals.add(number)
    void stalled.then(() => response.end())
  })
})
server.keepAliveTimeout = 60_000
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

const methods = {
  url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  reached: (count: number) => arrivals.reached(count),
  times: () => arrivals.times,
  repeated: () => arrivals.repeated,
  /** Answers nothing for that long. Resolves when it answers again. */
  async stall(ms: number) {
    stalled = wait(ms)
    await stalled
  },
}
export type Receiver = typeof methods
serve(methods)
