import { type Calls, callsOf } from '../support/calls.ts'
import { createGateway, createLog, loadConfig, migrations } from './built.ts'
import type { Candidate, Order } from './candidate.ts'

const ADMIN = 'bench-admin-token-0123456789abcdefghij'
const KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`

/** The whole gateway: SQLite, HTTP, every plugin but the sandbox. */
export async function startWamux({ card, dataDir }: Order): Promise<Candidate> {
  const { plugins } = await loadConfig({ WAMUX_BAILEYS_NETWORK: card })
  const log = createLog({ level: 'silent' })
  const gateway = createGateway({
    plugins,
    migrations,
    version: 'bench',
    log,
    dataDir,
    adminToken: ADMIN,
    keys: KEYS,
  })
  await gateway.start()
  const calls = callsOf(gateway)
  const tokens: { token: string }[] = []
  return {
    async link(scan) {
      const { data } = await must(calls.post('/session/init', {}, { admintoken: ADMIN }))
      const token = { token: String(data.Token) }
      tokens.push(token)
      await must(calls.post('/session/connect', { Immediate: false }, token))
      scan((await must(calls.get('/session/qr', token))).data.QRCode)
      while ((await calls.get('/session/status', token)).data?.LoggedIn !== true) {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    async send(to, text) {
      await must(calls.post('/send/text', { Phone: to, Body: text }, tokens[0]))
    },
  }
}

async function must(answer: ReturnType<Calls['post']>): ReturnType<Calls['post']> {
  const result = await answer
  if (!result.success) throw new Error(result.error)
  return result
}
