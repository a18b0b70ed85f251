import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Loaded into the gateway before its own modules: at this signal it says what it holds after collecting its garbage.
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

async function weigh(): Promise<void> {
  // What the first round lets go of, a finalizer's or a socket's memory, falls in the next.
  for (let round = 0; round < 3; round += 1) {
    collect()
    await sleep(50)
  }
  const { heapUsed, external } = process.memoryUsage()
  process.stdout.write(`${JSON.stringify({ msg: 'weighed', bytes: heapUsed + external })}\n`)
}

process.on('SIGCONT', () => void weigh())
