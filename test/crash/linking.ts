import { expect } from 'chai'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import type { LooseNetwork } from '../support/network.ts'
import { type GatewayProcess, startProcess } from '../support/process.ts'
import { admin, type LinkedSession, sessionOf } from '../support/sessions.ts'

/** One way to link, and the moment at which the gateway is killed; without one it lives. */
export interface Row {
  readonly code: boolean
  readonly passkey: boolean
  /** The network first requires new registration material. */
  readonly refresh: boolean
  readonly at?: string
}

const PAIRED = ['link:paired', 'link:announced', 'link:answered', 'link:opened']
const CODE = ['link:code-requested', 'link:code-answered', 'link:code-finished']
const REFRESH = ['link:secret-rotated', 'link:rotation-acknowledged']
const PASSKEY = ['challenge', 'submitted', 'opened', 'secret', 'requested'].map(
  (step) => `link:passkey-${step}`,
)

const KILLER = './test/crash/killer.ts'

/** Every way to link, killed at every moment of it. */
export const ROWS: readonly Row[] = [false, true].flatMap((refresh) =>
  [false, true].flatMap((passkey) =>
    [false, true].flatMap((code) => {
      const moments = [
        ...(code ? CODE : []),
        ...(refresh ? REFRESH : []),
        ...(passkey ? PASSKEY : []),
        ...PAIRED,
      ]
      return moments.map((at) => ({ code, passkey, refresh, at }))
    }),
  ),
)

export function titleOf({ code, passkey, refresh, at }: Row): string {
  const way = `${passkey ? 'by passkey after ' : 'by '}${code ? 'a pairing code' : 'a QR code'}`
  return `${way}${refresh ? ', with a new secret in between' : ''}${at ? `, killed at ${at}` : ''}`
}

export function life(dataDir: string, { card }: LooseNetwork, at?: string): Promise<GatewayProcess> {
  const env = { WAMUX_DATA_DIR: dataDir, WAMUX_BAILEYS_NETWORK: card }
  return startProcess({ ...env, ...(at ? { CRASH_AT: at } : {}) }, 'start', at ? [KILLER] : [])
}

/** Links a new session of the gateway in this way. */
export async function linkBy(row: Row, loose: LooseNetwork, gateway: GatewayProcess): Promise<LinkedSession> {
  const session = await newSession(loose, gateway)
  arm(row, loose)
  await link(row, session)
  return session
}

/**
 * Kills a gateway while it links a session; afterwards the session is linked on both sides or on none, and can be linked
 * again if it is not.
 */
export async function killWhile(row: Row, loose: LooseNetwork): Promise<void> {
  const dataDir = temporaryFolder()
  const first = await life(dataDir, loose, row.at)
  const session = await newSession(loose, first)
  arm(row, loose)
  const onPhone: Promise<unknown>[] = []
  const outcome = link(row, session, onPhone).then(
    () => 'linked',
    (error: Error) => error.message,
  )
  const died = first.ended.then(() => 'killed')
  // The gateway may be gone before the attempt notices it, but not the other way round.
  const end = await Promise.race([died, outcome.then((text) => Promise.race([died, late(text)]))])
  expect(end).to.equal('killed')
  // What the phone is doing ends with the companion's connection; what the session's client is doing is of no interest.
  await Promise.allSettled(onPhone)

  const { phone, token } = session
  const isLinked = companionsOf(loose, phone) === 1
  loose.network.fault({ Fault: 'clear' })
  if (row.passkey) loose.network.fault({ Fault: 'passkey' })
  const second = await life(dataDir, loose)
  try {
    const again = sessionOf(second, token, phone)
    if (isLinked) await again.status({ LoggedIn: true })
    else {
      await unlinked(second, again)
      await link({ ...row, refresh: false }, again)
    }
    expect(companionsOf(loose, phone)).to.equal(1)
    const { Jid } = await again.status({ LoggedIn: true })
    expect(Jid).to.equal(phone.account.jid)
  } finally {
    await second.end('SIGTERM')
  }
}

function arm({ passkey, refresh }: Row, { network }: LooseNetwork): void {
  network.fault({ Fault: 'clear' })
  if (refresh) network.fault({ Fault: 'companion_reg_refresh' })
  if (passkey) network.fault({ Fault: 'passkey' })
}

async function newSession({ phones }: LooseNetwork, gateway: GatewayProcess): Promise<LinkedSession> {
  const { data } = await gateway.post('/session/init', {}, admin)
  return sessionOf(gateway, String(data.Token), await phones.create({ name: 'Shop' }))
}

/** @param onPhone gets what the phone begins. */
async function link(row: Row, session: LinkedSession, onPhone: Promise<unknown>[] = []): Promise<void> {
  await session.post('/session/connect', { Immediate: false })
  if (row.refresh) await refused(row, session, onPhone)
  const { linked } = await begin(row, session)
  onPhone.push(linked)
  if (row.passkey) await answerPasskey(session)
  await linked
  await session.status({ LoggedIn: true })
}

/** The first code is of the old secret; another one replaces it. */
async function refused(row: Row, session: LinkedSession, onPhone: Promise<unknown>[]): Promise<void> {
  const before = await shownQr(session)
  const { linked } = await begin(row, session)
  onPhone.push(linked)
  const error = await linked.then(
    () => undefined,
    (failure: Error) => failure.message,
  )
  expect(error).to.include("couldn't link the device")
  await eventually(async () => (await shownQr(session)) !== before, 'a new code')
}

/** What the phone does; wrapped, as it resolves only when the passkey has been answered. */
async function begin({ code }: Row, session: LinkedSession): Promise<{ linked: Promise<string> }> {
  const { phone } = session
  const linked = code ? phone.pair(await pairingCode(session)) : phone.scan(await shownQr(session))
  linked.catch(() => undefined)
  return { linked }
}

async function pairingCode(session: LinkedSession): Promise<string> {
  const { data, error } = await session.post('/session/pair', { Phone: session.phone.account.phone })
  if (error) throw new Error(error)
  return data.LinkingCode
}

function shownQr(session: LinkedSession): Promise<string> {
  return eventually(async () => (await session.get('/session/qr')).data?.QRCode, 'a QR code')
}

async function answerPasskey(session: LinkedSession): Promise<void> {
  const { passkey } = session.phone
  const asked = await eventually(async () => inState(session, 'challenge'), 'a challenge')
  await session.post('/session/passkey', passkey.sign(asked.Challenge))
  const { Code } = await eventually(async () => inState(session, 'confirm'), 'a code')
  passkey.compare(Code)
  await session.post('/session/passkey/confirm', {})
}

async function inState(session: LinkedSession, state: string) {
  const { data } = await session.get('/session/passkey')
  return data.State === state && data
}

/** The session has no account, and does not come by one: a link that the phone does not know is ended when it logs in. */
async function unlinked(gateway: GatewayProcess, { token }: LinkedSession): Promise<void> {
  const row = async () => {
    const { data } = await gateway.get('/session/all', admin)
    return data.find(({ Token }: { Token: string }) => Token === token)
  }
  const isUnlinked = async () => (await row()).JID === '' && !(await row()).LoggedIn
  await eventually(isUnlinked, 'unlinked', { progress: async () => (await row()).JID })
}

function companionsOf({ phones }: LooseNetwork, { account }: Phone): number {
  return (phones.get(account.phone).view()['Companions'] as unknown[]).length
}

const LATE_MS = 5_000

function late(text: string): Promise<string> {
  return new Promise((resolve) => setTimeout(resolve, LATE_MS, text))
}
