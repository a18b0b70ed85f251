import type { Answer, Calls } from './calls.ts'
import type { TestPhone } from './phones.ts'

/** A session that its phone has linked. */
export interface TestSession {
  readonly token: string
  readonly headers: { readonly token: string }
  readonly phone: TestPhone
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  /** Resolves when `GET /session/status` has all that is asked for; rejects after `ms`. */
  status(wanted: Record<string, unknown>, ms?: number): Promise<Answer['data']>
}

export async function linkSession(
  calls: Calls,
  admin: Record<string, string>,
  phone: TestPhone,
  subscribe: readonly string[],
): Promise<TestSession> {
  const { data } = await calls.post('/session/init', {}, admin)
  const token = String(data.Token)
  const headers = { token }
  const session: TestSession = {
    token,
    headers,
    phone,
    get: (path) => calls.get(path, headers),
    post: (path, body) => calls.post(path, body, headers),
    async status(wanted, ms = 10_000) {
      const limit = Date.now() + ms
      for (;;) {
        const { data: now = {} } = await calls.get('/session/status', headers)
        if (Object.entries(wanted).every(([name, value]) => now[name] === value)) return now
        if (Date.now() > limit) throw new Error(`the status stayed ${JSON.stringify(now)}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
  }
  await session.post('/session/connect', { Subscribe: subscribe, Immediate: false })
  await phone.link(token)
  await session.status({ LoggedIn: true })
  return session
}
