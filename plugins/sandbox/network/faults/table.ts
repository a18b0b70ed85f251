import { setTimeout as sleep } from 'node:timers/promises'
import { el, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState, Device } from '../directory/accounts.ts'
import type { AccountRestrictions } from '../directory/restrictions.ts'
import { expireStatuses } from '../messaging/statuses.ts'
import { moveClocks, type NetworkState } from '../state.ts'
import { CERTIFICATE_FAULTS } from '../transport/certificate.ts'
import { announceExpiration } from '../transport/client-version.ts'
import { MAX_FRAME_BYTES } from '../transport/frames.ts'
import { refreshLinkCodes } from '../transport/link-code.ts'
import { sendRefresh } from '../transport/pairing.ts'
import type { WireServer } from '../transport/server.ts'
import type { AccountFaults, AccountRefusals, PropsFault } from './account-faults.ts'
import type { Corruption } from './corrupt.ts'
import type { FaultRequest } from './fields.ts'
import type { NetworkFaults, SourceFault } from './network-faults.ts'
import { announceTimelock, endTimelock, liftRestrictions } from './restrict.ts'

/** A fault that is armed or ended. */
export interface Arming {
  readonly state: NetworkState
  readonly server: Pick<WireServer, 'renewKey' | 'disconnectAll'>
  readonly account: AccountState | undefined
  readonly request: FaultRequest
}

/** What a fault sets, until it is ended or used up. */
export type Sets<S> = Partial<S> | ((request: FaultRequest, now: S) => Partial<S>)

interface Effect<A extends Arming> {
  /** For companions of an account, or its phone. */
  readonly account?: Sets<AccountFaults>
  readonly restricts?: Sets<AccountRestrictions>
  /** For the whole network. */
  readonly network?: Sets<NetworkFaults>
  acts?(arming: A): void
  /** When it is ended alone. */
  ends?(arming: A): void
  /** It only ends others. */
  readonly isEnding?: boolean
}

export interface FaultRow extends Effect<Arming> {
  /** Whether it needs an account. */
  readonly phone: 'required' | 'optional' | 'none'
  /** Its effect and its fields, as the README describes them. */
  readonly does: string
  readonly takes: string
}

const DAY_MS = 24 * 3_600_000
/** Far above any current revision: no real source reports it, no client has it. */
const ANY_REVISION = 4_000_000_000

/** All faults by name. */
// biome-ignore format: a table, one row for each fault
export const FAULTS: Readonly<Record<string, FaultRow>> = {
  drop: accountAct('Closes the connections', '', ({ account }) => disconnect(account)),
  silent: either('Keeps connections open without sending; without `Phone` all connections, new ones included', '', { isSilent: true }),
  delay: account('Delays every stanza', '`Ms` (1000)', ({ Ms = 1000 }) => ({ delayMs: Ms })),
  refuse: account('Refuses sends', '`Code` (463), `Count`', (request) => ({ sends: refusals(request, 463) })),
  refuseSettings: account('Refuses app-state requests', '`Code` (403), `Count`', (request) => ({ settings: refusals(request, 403) })),
  spoilSettings: account('Breaks the MACs of the newest record that companions read of a collection (`Type`, default all)', '`Type`, `Count`', ({ Type, Count = Number.POSITIVE_INFINITY }) => ({ spoiling: { collection: Type, left: Count } })),
  failure: either('Refuses logins: 405 outdated, 409 bad user agent, 403 locked, 402 banned (`Attrs`: `code`, `expire` in seconds) …; without `Phone` all logins and registrations', '`Code` (503), `Attrs`, `Count`', (request) => ({ logins: refusals(request, 503) })),
  mexError: account('Answers stored queries (MEX) with an error beside their data', '`Code` (500), `Count` (1)', ({ Count = 1, ...request }) => ({ mexErrors: refusals({ ...request, Count }, 500) })),
  replaced: accountAct('Closes the connections as replaced', '', ({ account }) => disconnect(account, el('stream:error', {}, [el('conflict', { type: 'replaced' })]))),
  streamError: accountAct('Closes with a stream error. `Conflict` (replaced, device_removed) and `Type` (ack, xml-not-well-formed) are child nodes, without a code unless given', '`Code` (503), `Conflict`, `Type`', ({ account, request }) => disconnect(account, streamError(request))),
  holdReceipts: account('Withholds receipts', '', () => ({ held: [] }), { ends: release('held') }),
  releaseReceipts: accountAct('Delivers them and stops withholding', '', release('held'), { isEnding: true }),
  holdAcks: account('Withholds acks of accepted messages', '', (_, { heldAcks = [] }) => ({ heldAcks }), { ends: release('heldAcks') }),
  releaseAcks: accountAct('Sends them and stops withholding', '', release('heldAcks'), { isEnding: true }),
  holdMessages: account('Withholds messages (default all); later ones overtake them', '`Count`', ({ Count = Number.POSITIVE_INFINITY }, { heldMessages }) => ({ heldMessages: { list: heldMessages?.list ?? [], left: Count } }), { ends: release('heldMessages') }),
  releaseMessages: accountAct('Delivers them and stops withholding', '', release('heldMessages'), { isEnding: true }),
  redeliver: accountAct('Delivers the last messages again', '`Count` (1)', ({ state, account, request: { Count = 1 } }) => { for (const device of companionsOf(account)) state.delivery.redeliver(device, Count) }),
  oldClient: account('The phone stamps no disappearing timers', '', { isOldClient: true }),
  garble: account('Corrupts incoming ciphertexts', '`Count` (1)', corruption('garble')),
  unavailable: account('Replaces incoming ciphertexts with an `unavailable` node', '`Count` (1), `Type`', corruption('unavailable')),
  addCiphertext: account('Puts a ciphertext of an unknown type before the incoming ones', '`Count` (1), `Type` (frskmsg)', corruption('addCiphertext')),
  replaceCiphertext: account('Puts it instead of them', '`Count` (1), `Type` (frskmsg)', corruption('replaceCiphertext')),
  cutQueue: account('Closes the connection once, after this many queued stanzas', '`Count` (5)', ({ Count = 5 }) => ({ queueCut: { left: Count } })),
  refreshLid: account("Acks ask the sender to look the recipient's LID up again", '`Count` (1)', ({ Count = 1 }) => ({ staleLids: { left: Count } })),
  props: either('Serves these AB props (code → value) too; clients query again after `Ms`', '`Props`, `Ms`', (request) => ({ props: propsFault(request) })),
  timelock: restriction('Refuses new chats for this time (463)', '`Ms` (one day)', ({ Ms = DAY_MS }) => ({ lockedUntil: seconds() + Math.ceil(Ms / 1000) }), { acts: ({ state, account }) => announceTimelock(state, account), ends: ({ state, account }) => endTimelock(state, account) }),
  messageCap: restriction('Limits new chats (475)', '`Count` (1)', ({ Count = 1 }) => ({ newChats: { total: Count, used: 0 } })),
  keyless: restriction("Answers 404 to requests for the account's keys", '', { isKeyless: true }),
  refuseQuery: restriction('Refuses queries of this xmlns (default one; without `Xmlns` all); `Ms` is the `backoff`', '`Code` (500), `Xmlns`, `Count`, `Ms`', refusedQueries),
  companion_reg_refresh: network('Requires new registration material before linking', '', { refreshesLinks: true }),
  refuseLinkCode: network('Refuses links by code', '`Code` (429)', ({ Code = 429 }) => ({ linkCodeRefusal: Code })),
  refreshLinkCode: networkAct('Retires pairing codes not entered yet', '', ({ state }) => refreshLinkCodes(state)),
  rotateQr: networkAct('Requires new registration material from all unlinked companions now', '', ({ state }) => { for (const one of state.unpairedCompanions.all()) sendRefresh(one, 'pair-device-rotate-qr') }),
  passkey: network('Requires a passkey for linking', '', { asksPasskeys: true }),
  passkeyBare: network('The same; the companion must query the challenge', '', { asksPasskeys: true, omitsPasskeyOptions: true }),
  passkeyRefused: network('The same; refuses each answer', '', { asksPasskeys: true, refusesPasskeys: true }),
  passkeySilent: network('The same; the phone never answers', '', { asksPasskeys: true, ignoresPasskeys: true }),
  passkeySpoiled: network("The same; alters the companion's commitment", '', { asksPasskeys: true, spoilsOpenings: true }),
  passkeyLate: network('The same; the phone answers after this delay', '`Ms` (1000)', ({ Ms = 1000 }) => ({ asksPasskeys: true, continuationDelayMs: Ms })),
  endCodes: network('Gives linking companions no QR code, as if all had expired', '', { endsCodes: true }),
  badCertificate: network('Presents a wrong Noise certificate: other root, `expired`, `early` or of another key (`foreign`)', '`Type` (forged)', ({ Type }) => ({ certificate: CERTIFICATE_FAULTS.find((one) => one === Type) ?? 'forged' })),
  newServerKey: networkAct('Presents a new static key, so no Noise session can be resumed', '', ({ server }) => server.renewKey()),
  smallFrames: network('Closes the connection on a larger frame', '`Bytes`', ({ Bytes = MAX_FRAME_BYTES }) => ({ frameBytes: Bytes })),
  mediaDown: network('The media host answers 503', '', { isMediaDown: true }),
  expireMedia: networkAct('Drops all media files (410); phones upload again on request, unless `clearStorage` or `switchOff`', '', ({ state }) => state.media.expire()),
  expireStatuses: networkAct('Drops all status posts', '', ({ state }) => expireStatuses(state, Number.POSITIVE_INFINITY)),
  refuseUploads: network('The media host answers 503 to uploads', '', { refusesUploads: true }),
  down: network('Closes all connections and refuses new ones', '', { isDown: true }, { acts: ({ server }) => server.disconnectAll() }),
  up: networkAct('Accepts connections again', '', ({ state }) => { state.faults.networkWide.isDown = false }, { isEnding: true }),
  flapping: network('Alternates between down for `Ms` and up for `UpMs`', '`Ms` (700), `UpMs` (3000)', () => ({ flapping: { isDown: false } }), { acts: (arming) => void flap(arming) }),
  outdated: network('Refuses clients below this revision (405), default all; 0 accepts all', '`Below`, `Location` (frc)', ({ Below: below = ANY_REVISION, Location = '' }) => ({ floor: { below, location: Location } })),
  expires: networkAct("Announces the end of the clients' version; without `Ms` withdraws it", '`Ms`', ({ state, request }) => announceExpiration(state, request.Ms)),
  release: network("The web site's revision, default impossibly high", '`Revision`', ({ Revision = ANY_REVISION }) => ({ revision: Revision })),
  ping: networkAct('Pings all clients now; closes those without an answer in this time', '`Ms` (20000)', ({ state, request }) => state.pings.now(request.Ms)),
  hastyLogout: network('Closes the link of a client that logs out, without an answer', '', { unanswersLogouts: true }),
  pushQueue: network('Sends queued stanzas at once', '', { pushesQueue: true }),
  quietDevices: network('Announces device changes to nobody; senders learn them from acks (`phash`)', '', { quietDevices: true }),
  swjs: network('The service worker fails (404), names the revision differently (`renamed`), is silent, or has this revision', '`Code`, `Shape`, `Silent`, `Revision`', (request) => ({ serviceWorker: sourceFault(request) })),
  page: network('The same for the page', '`Code`, `Shape`, `Silent`, `Revision`', (request) => ({ page: sourceFault(request) })),
  legacyStatuses: network('Status posts as `<message>` instead of `<status>`', '', { legacyStatuses: true }),
  legacyEdits: network('Phones send plain edits', '', { legacyEdits: true }),
  legacyViewOnce: network('Companions get the content of view-once messages', '', { legacyViewOnce: true }),
  legacyAbout: network('Accepts the old query for about texts (stock clients)', '', { legacyAbout: true }),
  editForm: network("Phones seal edits with the authors' number (`pn`) or LID (`lid`, default)", '`Form` (pn)', ({ Form = 'pn' }) => ({ editForm: Form })),
  secretless: network('The history has no message secrets', '', { secretless: true }),
  saltless: network('New companions get no salt; `Type` limits this to `history` or `settings`', '`Type`', ({ Type }) => ({ saltless: Type === 'history' || Type === 'settings' ? Type : 'both' })),
  staleHistory: network('The history names outdated LIDs', '', { staleHistory: true }),
  lenientTokens: network('Messages to strangers need no token (stock clients)', '', { lenientTokens: true }),
  lenientAddressing: network('1:1 messages may mix address spaces (stock clients)', '', { lenientAddressing: true }),
  lenientForms: network('Media and posts need no `mediatype` (stock clients)', '', { lenientForms: true }),
  lenientRevokes: network('Any member may mark a revocation as that of an admin (`edit="8"`), else refused with 403', '', { lenientRevokes: true }),
  noAlternates: network('1:1 stanzas name their sender in one form only', '', { namesNoAlternates: true }),
  noLids: network('Look-ups return no LIDs', '', { tellsNoLids: true }),
  clock: network('Sets network and phones this far ahead of the gateway, as with a wrong clock', '`Ms` (one day)', ({ Ms = DAY_MS }) => ({ clockMs: Ms }), { acts: ({ state }) => moveClocks(state) }),
  clear: { ...networkAct("Ends the account's faults; without `Phone` all", '', ({ state, account }) => clear(state, account), { isEnding: true }), phone: 'optional' },
}

type AccountArming = Arming & { readonly account: AccountState }
type More<A extends Arming = Arming> = Pick<Effect<A>, 'acts' | 'ends' | 'isEnding'>

/** A fault of an account's companions, or its phone. */
function account(
  does: string,
  takes: string,
  sets: Sets<AccountFaults>,
  more?: More<AccountArming>,
): FaultRow {
  return { phone: 'required', does, takes, account: sets, ...more } as FaultRow
}

function restriction(
  does: string,
  takes: string,
  restricts: Sets<AccountRestrictions>,
  more?: More<AccountArming>,
): FaultRow {
  return { phone: 'required', does, takes, restricts, ...more } as FaultRow
}

/** A fault of one account, or of all. */
function either(
  does: string,
  takes: string,
  sets: Sets<Pick<AccountFaults, 'isSilent' | 'logins' | 'props'>>,
): FaultRow {
  return { phone: 'optional', does, takes, account: sets, network: sets }
}

function network(does: string, takes: string, sets: Sets<NetworkFaults>, more?: More): FaultRow {
  return { phone: 'none', does, takes, network: sets, ...more }
}

/** A fault that acts once. */
function accountAct(
  does: string,
  takes: string,
  acts: (arming: AccountArming) => void,
  more?: More,
): FaultRow {
  return { phone: 'required', does, takes, acts, ...more } as FaultRow
}

function networkAct(does: string, takes: string, acts: (arming: Arming) => void, more?: More): FaultRow {
  return { phone: 'none', does, takes, acts, ...more }
}

function refusals(
  { Code, Attrs, Count = Number.POSITIVE_INFINITY }: FaultRequest,
  code: number,
): AccountRefusals {
  return { code: String(Code ?? code), attrs: Attrs, left: Count }
}

function refusedQueries({ Xmlns, Code = 500, Count, Ms }: FaultRequest): Partial<AccountRestrictions> {
  const left = Count ?? (Xmlns ? 1 : Number.POSITIVE_INFINITY)
  const backoff = Ms === undefined ? undefined : Math.ceil(Ms / 1000)
  return { refused: { xmlns: Xmlns, code: Code, backoff, left } }
}

function propsFault({ Props: props = {}, Ms }: FaultRequest): PropsFault {
  return { props, refreshSeconds: Ms === undefined ? undefined : Math.max(1, Math.ceil(Ms / 1000)) }
}

function corruption(how: Corruption['how']): Sets<AccountFaults> {
  return ({ Type: type, Count: left = 1 }) => ({ corruption: { how, type, left } })
}

function sourceFault({ Code, Shape, Silent = false, Revision }: FaultRequest): SourceFault {
  const isRenamed = Shape === 'renamed'
  const code = Code ?? (isRenamed || Silent || Revision !== undefined ? 0 : 404)
  return { code, isRenamed, isSilent: Silent, revision: Revision }
}

/** An error with a conflict or another child needs no code. */
function streamError({ Code, Conflict, Type }: FaultRequest): Stanza {
  const code = Code ?? (Conflict || Type ? undefined : 503)
  const children = [
    ...(Conflict ? [el('conflict', { type: Conflict })] : []),
    ...(Type ? [el(Type, {})] : []),
  ]
  return el('stream:error', { code }, children)
}

function disconnect(account: AccountState, ...last: Stanza[]): void {
  for (const { link } of companionsOf(account)) link?.close(...last)
}

function companionsOf({ devices }: AccountState): Device[] {
  return [...devices.values()].filter(({ id }) => id !== 0)
}

const HELD = ['held', 'heldAcks', 'heldMessages'] as const

/** Delivers what was withheld, and withholds no more. */
function release(what: (typeof HELD)[number]) {
  return ({ state, account }: Pick<AccountArming, 'state' | 'account'>): void => {
    const faults = state.faults.of(account)
    const held = what === 'heldMessages' ? faults.heldMessages?.list : faults[what]
    faults[what] = undefined
    // Acks are not queued for an offline device.
    for (const { device, stanza } of held ?? [])
      if (what === 'heldAcks') device.link?.send(stanza)
      else state.delivery.deliver(device, stanza)
  }
}

function clear(state: NetworkState, account: AccountState | undefined): void {
  const accounts = account ? [account] : state.directory.all()
  // Withheld stanzas are delivered, not lost.
  for (const one of accounts) for (const what of HELD) release(what)({ state, account: one })
  state.faults.clear(account)
  for (const one of accounts) liftRestrictions(state, one)
}

/** Ends when another flapping, or none, is armed. */
async function flap({ state, server, request: { Ms = 700, UpMs = 3_000 } }: Arming): Promise<void> {
  const { networkWide } = state.faults
  const { flapping } = networkWide
  while (flapping && networkWide.flapping === flapping) {
    await sleep(flapping.isDown ? Ms : UpMs, undefined, { ref: false })
    flapping.isDown = !flapping.isDown
    if (flapping.isDown && networkWide.flapping === flapping) server.disconnectAll()
  }
}
