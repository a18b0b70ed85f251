import type { GatewayServices, Log } from 'wamux/plugin'
import { createFeed } from '../feed.ts'
import { noSnapshots, type Snapshots } from '../snapshots.ts'
import { bytes, child, el, HOSTED_DEVICE } from '../stanza.ts'
import type { Account, SimulatedNetwork } from '../types.ts'
import { createBusiness } from './business/business.ts'
import { newCounters } from './counters.ts'
import { type AccountState, createDirectory, newSalt, shownJid } from './directory/accounts.ts'
import { reassign } from './directory/reassign.ts'
import { isCurrent, isDue } from './directory/tokens.ts'
import { createFaults } from './faults/faults.ts'
import type { FaultRequest } from './faults/fields.ts'
import { createSwitches } from './faults/switches.ts'
import { createGroups } from './groups/groups.ts'
import { createDelivery } from './messaging/delivery.ts'
import { openMediaHost } from './messaging/media-host.ts'
import { createNewsletters } from './newsletters/newsletters.ts'
import { plantSeed } from './seed.ts'
import { clockOf, moveClocks, type NetworkState } from './state.ts'
import { createDecoder } from './transport/decode.ts'
import { createEncoder } from './transport/encode.ts'
import { primaryHello } from './transport/link-code.ts'
import { pair, requirePasskey } from './transport/pairing.ts'
import { type Observe, openServer } from './transport/server.ts'
import { createServerPings } from './transport/server-pings.ts'
import { createTap } from './transport/tap.ts'
import { createUnpairedCompanions } from './transport/unpaired.ts'
import { connectDevice } from './transport/uplink.ts'
import { readPublicKey } from './transport/webauthn.ts'
import { briefAccount, viewAccount, viewNetwork } from './view.ts'

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
  { port, mediaPort = 0, log, snapshots = noSnapshots, observe }: NetworkOptions,
): Promise<SimulatedNetwork> {
  const state = await newState(wire, log, snapshots, mediaPort)
  const { directory, faults, media } = state
  const feed = createFeed()
  const tap = createTap(feed)
  const server = await openServer(state, tap, port, observe)
  const switches = createSwitches(state, server)
  return {
    ...accountsOf(state),
    ...linksOf(state),
    ...tokensOf(state),
    snapshots,
    feed,
    url: server.url,
    mediaHost: media.host,
    ca: media.ca,
    rootKey: server.rootKey,
    now: () => clockOf(state),
    clockMoved: () => moveClocks(state),
    connectPhone(account, line) {
      const owner = directory.get(account.phone)
      const uplink = connectDevice(state, tap, owner, { id: 0, platform: 'phone' }, (stanza) =>
        line.receive(stanza),
      )
      state.phones.set(owner, line)
      return uplink
    },
    connectHosted: (account, receive) =>
      connectDevice(
        state,
        tap,
        directory.get(account.phone),
        { id: HOSTED_DEVICE, platform: 'cloud api' },
        receive,
      ),
    habits: () => faults.networkWide,
    view: () => viewNetwork(state, media.view()),
    fault({ Phone, ...request }) {
      const account = Phone === undefined ? undefined : directory.get(Phone)
      switches.arm(account, request as FaultRequest)
      feed.publish('fault', account?.phone ?? '')
    },
    endFault({ Phone, Fault }) {
      const account = Phone === undefined ? undefined : directory.get(Phone)
      switches.end(account, Fault)
      feed.publish('fault', account?.phone ?? '')
    },
    faults: switches.armed,
    seed: (seed) => plantSeed(state, media.put, seed),
    async close() {
      state.pings.close()
      await Promise.all([server.close(), media.close()])
    },
  }
}

async function newState(
  wire: GatewayServices['wire'],
  log: Log,
  snapshots: Snapshots,
  mediaPort: number,
): Promise<NetworkState> {
  const { slot } = snapshots
  const directory = createDirectory(slot)
  const groups = createGroups(slot)
  const newsletters = createNewsletters(slot)
  const pictureOf = (id: string): Buffer | undefined =>
    [...directory.all(), ...groups.all(), ...newsletters.all()].find(({ picture }) => picture?.id === id)
      ?.picture?.data
  const faults = createFaults()
  const counters = newCounters()
  return {
    business: createBusiness(slot),
    wire,
    log,
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
    media: await openMediaHost(mediaPort, pictureOf, () => faults.networkWide, snapshots),
  }
}

/** The accounts of the network. */
function accountsOf(state: NetworkState) {
  const { directory, faults, delivery } = state
  const stateOf = ({ phone }: Account): AccountState => directory.get(phone)
  return {
    createAccount: directory.create,
    createBot: directory.createBot,
    account: directory.find,
    accounts: directory.all,
    isOldClient: (account) => faults.of(stateOf(account)).isOldClient,
    announceIdentity(account) {
      const from = shownJid(account) ?? account.lid
      for (const { devices } of stateOf(account).correspondents)
        for (const device of devices.values()) delivery.notify(device, 'encrypt', [el('identity')], { from })
    },
    setPrivacyMode(account, mode) {
      stateOf(account).privacyMode = mode
    },
    migrate(account, isMigrated) {
      stateOf(account).lidMigrated = isMigrated
    },
    reassign: (account, name) => reassign(state, stateOf(account), name),
    brief: (account) => briefAccount(state, stateOf(account)),
    viewAccount: (account) => viewAccount(state, stateOf(account)),
  } satisfies Partial<SimulatedNetwork>
}

/** Links of companions, on the side of the phone. */
function linksOf(state: NetworkState) {
  const stateOf = ({ phone }: Account): AccountState => state.directory.get(phone)
  return {
    nextDevice(account) {
      const owner = stateOf(account)
      const number = owner.nextDevice === HOSTED_DEVICE ? HOSTED_DEVICE + 1 : owner.nextDevice
      owner.nextDevice = number + 1
      return number
    },
    unpaired: (ref) => state.unpairedCompanions.byRef(ref) && { ref },
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
    pair: (ref, account, link) => pair(state, ref, stateOf(account), link),
    addPasskey(account, id, publicKey) {
      readPublicKey(publicKey)
      stateOf(account).passkeys.set(id, publicKey)
    },
    passkey: (ref, account, ...rest) => requirePasskey(state, ref, stateOf(account), ...rest),
  } satisfies Partial<SimulatedNetwork>
}

/** The privacy tokens of the accounts. */
function tokensOf(state: NetworkState) {
  const stateOf = ({ phone }: Account): AccountState => state.directory.get(phone)
  return {
    saltOf: (account) => stateOf(account).salt,
    renewSalt(account, isOn) {
      stateOf(account).salt = isOn ? newSalt() : undefined
      return stateOf(account).salt
    },
    isCurrentToken: (account, t) => isCurrent(state, stateOf(account), t),
    isTokenDue: (account, last) => isDue(state, stateOf(account), last),
  } satisfies Partial<SimulatedNetwork>
}
