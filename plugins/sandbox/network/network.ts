import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type GatewayServices, gatewayError, type Log } from 'wamux/plugin'
import { WebSocketServer } from 'ws'
import { createFeed } from '../feed.ts'
import { noSnapshots, type Snapshots } from '../snapshots.ts'
import { bytes, child, el, HOSTED_DEVICE } from '../stanza.ts'
import type { Account, SimulatedNetwork, Stanza, Uplink } from '../types.ts'
import { createBusiness } from './business/business.ts'
import { newCounters } from './counters.ts'
import {
  type AccountState,
  createDirectory,
  type Device,
  type DeviceLink,
  newSalt,
  shownJid,
} from './directory/accounts.ts'
import { reassign } from './directory/reassign.ts'
import { isCurrent, isDue } from './directory/tokens.ts'
import { armFault, unknownFault } from './faults/arm.ts'
import type { FaultEffects, FaultRequest } from './faults/fault.ts'
import { createFaults } from './faults/faults.ts'
import { createSwitches } from './faults/switches.ts'
import { createGroups } from './groups/groups.ts'
import { createDelivery } from './messaging/delivery.ts'
import { openMediaHost } from './messaging/media-host.ts'
import { expireStatuses } from './messaging/statuses.ts'
import { createNewsletters } from './newsletters/newsletters.ts'
import { plantSeed } from './seed.ts'
import { clockOf, type NetworkState } from './state.ts'
import { createIdentity } from './transport/certificate.ts'
import { announceExpiration } from './transport/client-version.ts'
import { type Peer, serveConnection } from './transport/connection.ts'
import { createDecoder } from './transport/decode.ts'
import { createEncoder } from './transport/encode.ts'
import { MAX_FRAME_BYTES } from './transport/frames.ts'
import { primaryHello, refreshLinkCodes } from './transport/link-code.ts'
import { authenticate, handleStanza, nameOf } from './transport/login.ts'
import { pair, requirePasskey, sendRefresh } from './transport/pairing.ts'
import { route } from './transport/router.ts'
import { createServerPings } from './transport/server-pings.ts'
import { createTap, type Tap } from './transport/tap.ts'
import { createUnpairedCompanions } from './transport/unpaired.ts'
import { serveWebSite } from './transport/web-site.ts'
import { readPublicKey } from './transport/webauthn.ts'
import { briefAccount, viewAccount, viewNetwork } from './view.ts'

/** Bytes before a frame's payload: its length, and for the first frame the intro and routing information. */
const MAX_HEAD_BYTES = 1024

export interface NetworkOptions {
  /** 0 picks a free port. */
  port?: number
  mediaPort?: number
  log: Log
  /** For a network that survives its process. */
  snapshots?: Snapshots
  /** Observes the events of each logged-in link, for tests of the wire protocol. */
  observe?: Observe
}

/** Starts a network on loopback: a server of the wire protocol with its web site, and a media host. */
export async function createNetwork(
  wire: GatewayServices['wire'],
  options: NetworkOptions,
): Promise<SimulatedNetwork> {
  const { snapshots = noSnapshots } = options
  const { slot } = snapshots
  const directory = createDirectory(slot)
  const groups = createGroups(slot)
  const newsletters = createNewsletters(slot)
  const pictureOf = (id: string): Buffer | undefined =>
    [...directory.all(), ...groups.all(), ...newsletters.all()].find(({ picture }) => picture?.id === id)
      ?.picture?.data
  const faults = createFaults()
  const media = await openMediaHost(options.mediaPort ?? 0, pictureOf, () => faults.networkWide, snapshots)
  const counters = newCounters()
  const feed = createFeed()
  const tap = createTap(feed)
  const state: NetworkState = {
    business: createBusiness(slot),
    wire,
    log: options.log,
    encode: createEncoder(wire.tokens),
    decode: createDecoder(wire.tokens),
    directory,
    counters,
    faults,
    groups,
    newsletters,
    calls: new Map(),
    callLinks: slot('call links', () => new Map()),
    delivery: createDelivery(counters, faults),
    pings: createServerPings({ directory, counters, faults }),
    unpairedCompanions: createUnpairedCompanions(),
    statuses: slot('statuses', () => []),
    logins: [],
    snapshots,
    phones: new Map(),
    media,
  }
  const identity = createIdentity(wire, slot)
  const own = slot('network', () => ({ port: 0 }))
  const site = createServer(serveWebSite(state))
  const server = new WebSocketServer({
    server: site,
    perMessageDeflate: false,
    // Clients send one frame per message; the frame of a larger message would exceed the length field.
    maxPayload: MAX_FRAME_BYTES + MAX_HEAD_BYTES,
  })
  await new Promise<void>((resolve, reject) => {
    site.once('error', reject)
    site.listen(options.port || own.port, '127.0.0.1', resolve)
  })
  own.port = (site.address() as AddressInfo).port
  server.on('connection', (socket, request) => {
    const { isDown, flapping } = faults.networkWide
    if (isDown || flapping?.isDown) return socket.terminate()
    serveConnection(socket, request.socket, state, identity, (login) => {
      const name = nameOf(state, login)
      const peer = authenticate(state, { ...login, link: tap.link(login.link, name) })
      const seen = peer && tap.peer(peer, name)
      return seen && options.observe ? observed(seen, options.observe) : seen
    })
    return undefined
  })

  const find = (phone: string): AccountState => {
    const account = directory.find(phone)
    if (!account) throw gatewayError('ITEM_UNKNOWN', [`Phone ${phone}`])
    return account
  }
  const stateOf = (account: Account): AccountState => find(account.phone)
  /** A device that is simulated in this process. */
  function attach(owner: AccountState, id: number, platform: string, receive: DeviceLink['send']): Device {
    const stored = snapshots.folder ? owner.devices.get(id) : undefined
    const device = stored ?? directory.addDevice(owner, id, undefined, platform)
    // Phones are machines of their own: what is written to clients does not wait for them.
    const send = (stanza: Stanza): void => void setImmediate(() => receive(stanza))
    device.link = tap.link(
      { send, close: () => undefined },
      {
        get phone() {
          return owner.phone
        },
        device: id,
      },
    )
    // A restored one first reads its own state.
    device.isActive = !stored
    return device
  }
  const effects: FaultEffects = {
    expireMedia: media.expire,
    expireStatuses: () => expireStatuses(state, Number.POSITIVE_INFINITY),
    renewServerKey: identity.renew,
    disconnectAll: () => server.clients.forEach((client) => void client.terminate()),
    redeliver: state.delivery.redeliver,
    deliver: state.delivery.deliver,
    refreshLinkCodes: () => refreshLinkCodes(state),
    rotateQrCodes: () => {
      for (const one of state.unpairedCompanions.all()) sendRefresh(one, 'pair-device-rotate-qr')
    },
    announceExpiration: (ms) => announceExpiration(state, ms),
    ping: state.pings.now,
    moveClocks: () => {
      for (const phone of state.phones.values()) phone.clockMoved?.()
    },
  }
  const switches = createSwitches(state, effects)

  return {
    snapshots,
    feed,
    url: `ws://127.0.0.1:${own.port}/ws/chat`,
    mediaHost: media.host,
    ca: media.ca,
    rootKey: identity.root,
    createAccount: (account) => directory.create(account),
    createBot: (id, profile) => directory.createBot(id, profile),
    account: (who) => directory.find(who),
    accounts: () => directory.all(),
    now: () => clockOf(state),
    clockMoved: effects.moveClocks,
    isOldClient: (account) => faults.of(stateOf(account)).isOldClient,
    connectPhone(account, line) {
      const owner = stateOf(account)
      const device = attach(owner, 0, 'phone', (stanza) => line.receive(stanza))
      device.isAvailable = true
      state.phones.set(owner, line)
      return uplinkOf(state, device, media, tap)
    },
    connectHosted: (account, receive) =>
      uplinkOf(state, attach(stateOf(account), HOSTED_DEVICE, 'cloud api', receive), media, tap),
    saltOf: (account) => stateOf(account).salt,
    renewSalt(account, isOn) {
      stateOf(account).salt = isOn ? newSalt() : undefined
      return stateOf(account).salt
    },
    isCurrentToken: (account, t) => isCurrent(state, stateOf(account), t),
    isTokenDue: (account, last) => isDue(state, stateOf(account), last),
    announceIdentity(account) {
      const from = shownJid(account) ?? account.lid
      for (const { devices } of stateOf(account).correspondents)
        for (const device of devices.values())
          state.delivery.notify(device, 'encrypt', [el('identity')], { from })
    },
    nextDevice(account) {
      const owner = stateOf(account)
      const number = owner.nextDevice === HOSTED_DEVICE ? HOSTED_DEVICE + 1 : owner.nextDevice
      owner.nextDevice = number + 1
      return number
    },
    unpaired(ref) {
      return state.unpairedCompanions.byRef(ref) && { ref }
    },
    async primaryHello(ref, hello) {
      const finish = await primaryHello(state, ref, hello)
      return {
        wrappedBundle: bytes(child(finish, 'link_code_pairing_wrapped_key_bundle')),
        companionIdentity: bytes(child(finish, 'companion_identity_public')),
      }
    },
    setKeyIndexes(account, signed) {
      stateOf(account).keyIndexes = signed
    },
    setPrivacyMode(account, mode) {
      stateOf(account).privacyMode = mode
    },
    pair: (ref, account, link) => pair(state, ref, stateOf(account), link),
    addPasskey(account, id, publicKey) {
      readPublicKey(publicKey)
      stateOf(account).passkeys.set(id, publicKey)
    },
    passkey: (ref, account, ...rest) => requirePasskey(state, ref, stateOf(account), ...rest),
    habits: () => faults.networkWide,
    view: () => viewNetwork(state, media.view()),
    migrate(account, isMigrated) {
      stateOf(account).lidMigrated = isMigrated
    },
    reassign: (account, name) => reassign(state, stateOf(account), name),
    brief: (account) => briefAccount(state, stateOf(account)),
    viewAccount: (account) => viewAccount(state, stateOf(account)),
    fault({ Phone, ...request }) {
      const account = Phone === undefined ? undefined : find(Phone)
      armFault(state, account, request as FaultRequest, effects)
      switches.record(account, request as FaultRequest)
      feed.publish('fault', account?.phone ?? '')
    },
    endFault({ Phone, Fault }) {
      const account = Phone === undefined ? undefined : find(Phone)
      if (!switches.end(account, Fault)) throw unknownFault(Fault)
      feed.publish('fault', account?.phone ?? '')
    },
    faults: () => switches.armed(),
    seed: (seed) => plantSeed(state, media.put, seed),
    async close() {
      state.pings.close()
      for (const client of server.clients) client.terminate()
      const closed = new Promise<void>((resolve) => site.close(() => resolve()))
      server.close()
      site.closeAllConnections()
      await Promise.all([closed, media.close()])
    },
  }
}

function uplinkOf(
  state: NetworkState,
  device: Device,
  media: Awaited<ReturnType<typeof openMediaHost>>,
  tap: Tap,
): Uplink {
  const { account, id } = device
  return {
    send(stanza) {
      state.counters.stanzasIn += 1
      tap.stanza('up', account.phone, id, stanza)
      handleStanza(state, device, stanza)
    },
    async query(iq): Promise<Stanza> {
      tap.stanza('up', account.phone, id, iq)
      const reply = route(state, device, iq)
      tap.stanza('down', account.phone, id, reply)
      if (reply.attrs['type'] !== 'error') return reply
      const error = child(reply, 'error')?.attrs
      throw Object.assign(new Error(`${error?.['text'] ?? 'error'} (${error?.['code'] ?? 500})`), {
        code: Number(error?.['code'] ?? 500),
      })
    },
    async upload(kind, encrypted) {
      if (state.faults.networkWide.refusesUploads) throw new Error('the media host refuses uploads')
      return media.store(kind, encrypted)
    },
    async download(directPath) {
      const data = media.read(directPath)
      if (!data) throw new Error(`no media at ${directPath}`)
      return data
    },
    setOnline(isOn) {
      if (isOn) state.delivery.flush(device)
      else device.isActive = false
    },
  }
}

/** An event of a logged-in link; links are numbered. */
export type WireEvent =
  | { kind: 'open'; link: number; device: string }
  | { kind: 'closed'; link: number; device: string }
  | { kind: 'stanza'; link: number; device: string; stanza: Stanza }

type Observe = (event: WireEvent) => void

let links = 0

/** The same client, with its events reported to `observe`. */
function observed(peer: Peer, observe: Observe): Peer {
  const { device } = peer
  if (device === undefined) return peer
  links += 1
  const link = links
  observe({ kind: 'open', link, device })
  return {
    device,
    receive(stanza) {
      observe({ kind: 'stanza', link, device, stanza })
      peer.receive(stanza)
    },
    closed() {
      observe({ kind: 'closed', link, device })
      peer.closed()
    },
  }
}
