/** Loaded into a gateway's process before its own code: ends it, as a power cut would, at the named moment. */
import { testHooks } from 'wamux/plugin'

const { CRASH_AT: moment = '', CRASH_NTH: nth = '1', CRASH_STOCK: stock = '' } = process.env
let left = Number(nth)

testHooks.isStock = stock === 'yes'
// It would refuse to start.
testHooks.isSelfTested = !testHooks.isStock
testHooks.onFailpoint = (name) => {
  if (name !== moment) return
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
}
