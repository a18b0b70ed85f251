/** Loaded into a gateway's process before its own code: ends it, as a power cut would, at the named moment. */
import { onFailpoint } from '../support/failpoints.ts'

const { CRASH_AT: moment = '', CRASH_NTH: nth = '1' } = process.env
let left = Number(nth)

onFailpoint((name) => {
  if (name !== moment) return
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
})
