import { startChild } from '../child.ts'
import type { Bench } from '../part.ts'
import type { Raw } from '../processes/raw.ts'
import type { Candidate } from './candidate.ts'

/** Unpatched Baileys with its keys in memory behind a plain HTTP server, for one session. */
export async function startRaw({ network, card }: Bench): Promise<Candidate> {
  const { call, pid, end } = startChild<Raw>('raw')
  const url = await call.url()
  return {
    side: 'raw',
    pid,
    end,
    async link() {
      const phone = await network.call.phone()
      await network.call.scan(phone, await call.connect(card))
      await call.opened()
      return { phone, token: '' }
    },
    text: (_, to) => ({
      url,
      path: '/',
      headers: {},
      body: JSON.stringify({ to, body: 'twenty-two bytes long.' }),
    }),
    reached: (count) => call.reached(count),
  }
}
