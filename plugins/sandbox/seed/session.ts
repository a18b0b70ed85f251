import { type LiveSession, type Session, type Sessions, withTimeout } from 'wamux/plugin'
import type { Phone } from '../phone/phone.ts'
import { SESSION } from './names.ts'

const LINK_MS = 30_000

/** The session created by an earlier start, with its token and settings. */
export async function sessionOf(sessions: Sessions): Promise<Session | undefined> {
  return (await sessions.list()).find(({ name }) => name === SESSION)
}

/** Links the session to the phone by QR code, unless it is linked; resolves when its link is open. */
export async function link(sessions: Sessions, id: string, phone: Phone): Promise<LiveSession> {
  let stop = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    stop = sessions.watch(({ session, to }) => {
      if (session === id && to === 'open') resolve()
    })
  })
  try {
    // A link to an earlier in-memory network is refused, which unlinks the session.
    const connect = () => sessions.connect(id, { wait: true })
    const { state } = await connect().catch(connect)
    if (state === 'scan') await phone.scan(await sessions.qr(id))
    if (state !== 'open') await withTimeout(opened, LINK_MS, fail)
    const session = await sessions.byId(id)
    return session?.socket ? (session as LiveSession) : fail()
  } finally {
    stop()
  }
}

function fail(): never {
  throw new Error(`the session was not linked within ${LINK_MS} ms`)
}
