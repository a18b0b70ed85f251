import { isPassing } from 'wamux/messaging'
import {
  type GatewayServices,
  isGatewayError,
  type Kernel,
  type LiveSession,
  type LogEvent,
  reasonOf,
} from 'wamux/plugin'
import { settings } from './settings.ts'

type Deps = Pick<Kernel<unknown>, 'db' | 'log' | 'sessions'> &
  Pick<GatewayServices, 'sender' | 'targets'> & {
    sessionSettings?: GatewayServices['sessionSettings'] | undefined
  }

/** A phone stops ringing after this time: a call whose offer is read later, for example after a restart, was missed. */
const RINGING_MS = 60_000
const DAY_MS = 86_400_000

/** Rejects a call if the session wants that, and sends its text; both exactly once. */
export async function rejectCall(line: LogEvent, deps: Deps): Promise<void> {
  const { db, log, sender, sessions, sessionSettings, targets } = deps
  const { id, session: sessionId } = line
  await sessionSettings?.ready(sessionId)
  if (sessionSettings?.isOn(sessionId, 'calls') !== true) return
  const { reject, text, allow } = sessionSettings.of(sessionId, 'calls', settings)
  const { CallID, From, CallCreator, CallCreatorAlt } = line.body['event'] as Record<string, string>
  if (!reject || !CallID || !From || !CallCreator) return
  const session = await sessions.byId(sessionId)
  if (!session || session.jid === CallCreator || session.lid === CallCreator) return
  const caller = [CallCreator, CallCreatorAlt]
  if (allow.some((one) => caller.includes(jidOf(targets, one)))) return
  const isRejected = (await db.read(db.table('rejected')).where({ id }).first()) !== undefined
  if (!isRejected) {
    if (Date.now() - Date.parse(line.time) > RINGING_MS || session.state !== 'open' || !session.socket) return
    // First, so that a call is not rejected again after a crash.
    await db.write([db.add('rejected', ['id'], [{ id, session: sessionId, time: Date.now() }])])
    try {
      await (session as LiveSession).socket.wa.rejectCall(CallID, From)
    } catch (error) {
      log.warn({ session: sessionId, reason: reasonOf(error) }, 'call not rejected')
    }
    await db.transact((trx) =>
      trx(db.table('rejected'))
        .where('time', '<', Date.now() - DAY_MS)
        .del(),
    )
  }
  if (!text) return
  try {
    // Uses the offer's id: however often this runs, the text is sent once.
    await sender.message('calls', sessionId, { to: CallCreator, content: { text }, id })
  } catch (error) {
    if (isGatewayError(error) && isPassing(error)) throw error
    log.warn({ session: sessionId, reason: reasonOf(error) }, 'text after a rejected call not sent')
  }
}

/** '' if it is not an address. */
function jidOf(targets: GatewayServices['targets'], address: string): string {
  try {
    return targets.toChat(address)
  } catch {
    return ''
  }
}
