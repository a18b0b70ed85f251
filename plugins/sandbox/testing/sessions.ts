import type { Answer, Calls } from './calls.ts'
import { eventually, QUIET_MS } from './eventually.ts'
import type { TestPhone } from './phones.ts'

/** A session linked to a phone. */
export interface TestSession<P = TestPhone> {
  readonly token: string
  readonly headers: { readonly token: string }
  readonly phone: P
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  /** Resolves when `GET /session/status` has the wanted values; rejects when it has not changed for `ms`. */
  status(wanted: Record<string, unknown>, ms?: number): Promise<Answer['data']>
}

interface Linking<P> {
  name?: string
  subscribe?: readonly string[]
  /** Links the session, as the phone's owner would. */
  link(session: TestSession<P>): Promise<unknown>
}

/** Creates a session, links it to `phone`, and waits for its login. */
export async function linkSession<P>(
  calls: Calls,
  admin: Record<string, string>,
  phone: P,
  { name, subscribe = ['All'], link }: Linking<P>,
): Promise<TestSession<P>> {
  const { data } = await calls.post('/session/init', name === undefined ? {} : { Name: name }, admin)
  const session = sessionOf(calls, String(data.Token), phone)
  await session.post('/session/connect', { Subscribe: subscribe, Immediate: false })
  await link(session)
  await session.status({ LoggedIn: true })
  return session
}

/** The session with that token, with the calls of its client. */
export function sessionOf<P>(calls: Calls, token: string, phone: P): TestSession<P> {
  const headers = { token }
  return {
    token,
    headers,
    phone,
    get: (path) => calls.get(path, headers),
    post: (path, body) => calls.post(path, body, headers),
    async status(wanted, quietMs = QUIET_MS) {
      let status: Answer['data'] = {}
      const holds = async (): Promise<true> => {
        status = (await calls.get('/session/status', headers)).data ?? {}
        if (Object.entries(wanted).every(([name, value]) => status[name] === value)) return true
        throw new Error(`the status is ${JSON.stringify(status)}`)
      }
      await eventually(holds, JSON.stringify(wanted), { progress: () => status.State, quietMs })
      return status
    },
  }
}
