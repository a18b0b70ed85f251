import { readFileSync } from 'node:fs'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { redact } from 'wamux/messaging'
import {
  asFunction,
  asValue,
  createInterval,
  definePlugin,
  type GatewayServices,
  type Interval,
  type Kernel,
  type PluginDb,
  type Row,
  reasonOf,
  T,
  UNREADABLE,
  type Vault,
} from 'wamux/plugin'
import { jidNormalizedUser } from './baileys.ts'
import { construction } from './construction.ts'
import { createDriver } from './driver.ts'
import { errors } from './errors.ts'
import { createFiles } from './media/media-file.ts'
import { migrations } from './migrations.ts'
import { createNetworkChoice } from './network/network.ts'
import { createSessionNetworks, type SessionNetworks } from './network/session-networks.ts'
import type { MessageTimes } from './protocol/message-times.ts'
import { readCard } from './protocol/network-card.ts'
import { keptRefusal } from './protocol/refusal.ts'
import { wire } from './protocol/wire.ts'
import { selfTest } from './self-test.ts'
import { queuedTopic } from './send/remote.ts'
import { createTimerReader } from './store/chat-timers.ts'
import { createCodec } from './store/codec.ts'
import { createInbox } from './store/inbox.ts'
import { createOutboxes } from './store/outboxes.ts'
import { createOutgoing } from './store/outgoing.ts'
import { UNSENT } from './store/predicates.ts'
import { createSecretPruning } from './store/secrets.ts'
import { createUnstoredOutcomes, type UnstoredOutcomes } from './store/unstored-outcomes.ts'
import { createTraffic, metricsOf, type Traffic } from './traffic.ts'
import { webVersionSettings } from './web-version/config.ts'
import { metricsOf as versionMetrics } from './web-version/metrics.ts'
import { routes } from './web-version/routes.ts'
import { createUpkeep } from './web-version/upkeep.ts'
import { createWebVersions, type WebVersions } from './web-version/web-versions.ts'

export type * from './sdk.ts'

interface DriverServices extends Partial<Pick<GatewayServices, 'pace'>>, Pick<GatewayServices, 'files'> {
  networks: SessionNetworks
  webVersions: WebVersions
}

/** The driver: Baileys, patched at its public seams. */
export default definePlugin({
  name: 'baileys',
  version: '0.1.0',
  api: '^1.0.0',
  // Baileys also logs stanzas while the plugins of the messaging domain are disabled.
  redact,
  errors,
  config: T.Object({
    log: T.String({
      default: 'silent',
      description: "Level of Baileys' own log lines, which are verbose",
    }),
    keepAliveMs: T.Integer({
      default: 15_000,
      minimum: 1000,
      description:
        'Minimum milliseconds between pings (random, up to twice as long); a link silent for 5 s longer after a ping is closed',
    }),
    queryTimeoutMs: T.Integer({
      default: 20_000,
      minimum: 100,
      description: 'Milliseconds until a query counts as unanswered',
    }),
    ackTimeoutMs: T.Integer({
      default: 30_000,
      minimum: 100,
      description: 'Milliseconds until a message counts as unanswered',
    }),
    trialMs: T.Integer({
      default: 3_000,
      minimum: 50,
      description:
        'Minimum age of a link, in ms, before it retries a message suspected of closing earlier links; doubled, then tripled, for later attempts',
    }),
    reuploadTimeoutMs: T.Integer({
      default: 30_000,
      minimum: 100,
      description: 'Milliseconds within which the phone must upload an expired file again',
    }),
    cacheBytes: T.Integer({
      default: 8_388_608,
      minimum: 65_536,
      description: 'Bytes of Signal keys kept in memory for each session',
    }),
    queue: T.Integer({
      default: 1000,
      minimum: 1,
      description: 'Messages of a session that may be in flight at once; more are refused (429)',
    }),
    backlog: T.Integer({
      default: 1000,
      minimum: 10,
      description:
        'Received stanzas of a session that may wait to be stored; above that, its link is not read',
    }),
    qrFirstMs: T.Integer({
      default: 60_000,
      minimum: 100,
      description: 'Milliseconds for which the first QR code is shown',
    }),
    qrNextMs: T.Integer({
      default: 20_000,
      minimum: 100,
      description: 'Milliseconds for which each further QR code is shown',
    }),
    codeMs: T.Integer({
      default: 180_000,
      minimum: 100,
      description: 'Milliseconds within which a pairing code must be entered',
    }),
    passkeyMs: T.Integer({
      default: 600_000,
      minimum: 100,
      description: 'Milliseconds within which a passkey challenge must be answered',
    }),
    passkeyStepMs: T.Integer({
      default: 120_000,
      minimum: 100,
      description: 'Milliseconds for each later step of a passkey ceremony',
    }),
    handoffMs: T.Integer({
      default: 300_000,
      minimum: 0,
      description:
        'Milliseconds after a passkey challenge during which its proof of the scanned code is valid',
    }),
    passkeyHandoff: T.Union([T.Literal('relink'), T.Literal('always'), T.Literal('never')], {
      default: 'relink',
      description:
        'When the proof of the scanned QR code replaces the comparison of codes: in sessions linked before, always (as WhatsApp Web does), or never',
    }),
    ...webVersionSettings,
    network: T.Optional(
      T.String({ description: 'Card file of a local network to connect to instead of WhatsApp' }),
    ),
  }),
  wants: ['pace', 'egress', 'httpClient'],
  provides: ['driver', 'wire', 'dial', 'files', 'messageTimes', 'outboxes', 'chatTimers'],
  events: { Unreadable: UNREADABLE },
  migrations,
  services: ({ config, db, events, peers, vault }) => {
    const choice = createNetworkChoice()
    const traffic: Traffic = createTraffic()
    const unstored = createUnstoredOutcomes()
    if (config.network) choice.dial.use(readCard(readFileSync(config.network, 'utf8')))
    return {
      wire: asValue(wire),
      dial: asValue(choice.dial),
      outboxes: asValue(createOutboxes({ db })),
      queueWatch: asFunction(createQueueWatch)
        .singleton()
        .disposer((service) => service.stop()),
      secretPruning: asFunction(createSecretPruning)
        .singleton()
        .disposer((service) => service.stop()),
      chatTimers: asValue(createTimerReader({ db, vault })),
      messageTimes: asValue(createMessageTimes({ db, vault, unstored })),
      choice: asValue(choice),
      networks: asFunction(createSessionNetworks)
        .singleton()
        .disposer((service) => service.close()),
      webVersions: asFunction(createWebVersions)
        .singleton()
        .disposer((service) => service.close()),
      upkeep: asFunction(createUpkeep)
        .singleton()
        .disposer((service) => service.stop()),
      files: asFunction(({ networks }: { networks: SessionNetworks }) => createFiles(networks)).singleton(),
      traffic: asValue(traffic),
      driver: asFunction(({ pace, networks, webVersions, files }: DriverServices) => {
        const networkName = () => choice.current().name
        const services = { files, pace, traffic, unstored, networks, webVersions, networkName }
        return createDriver({ db, vault, events, peers, config, ...services }, construction)
      }).singleton(),
    }
  },
  contributes: {
    metrics: ({ traffic, webVersions }) => ({ ...metricsOf(traffic), ...versionMetrics(webVersions) }),
  },
  routes,
  async setup({ queueWatch, secretPruning }) {
    await selfTest()
    queueWatch.start()
    secretPruning.start()
  },
  async ready({ upkeep }) {
    upkeep.start()
  },
})

/** Wakes links whose sessions have messages stored by other processes: the notification may have been lost. */
function createQueueWatch({ db, peers, log }: Pick<Kernel<unknown>, 'db' | 'peers' | 'log'>): Interval {
  async function look(): Promise<void> {
    if (peers.isAlone) return
    const rows = await db
      .read<Row>(db.table('outgoing'))
      .where({ state: 'queued' })
      .whereRaw(UNSENT)
      .distinct('session')
    peers.arrived(rows.map(({ session }) => queuedTopic(String(session))))
  }
  return createInterval(5_000, look, (error) =>
    log.debug({ reason: reasonOf(error) }, 'look-up of queued messages failed'),
  )
}

interface Deps {
  db: PluginDb
  vault: Vault
  unstored: UnstoredOutcomes
}

function createMessageTimes({ db, vault, unstored }: Deps): MessageTimes {
  return {
    async sent(session, id, viewer) {
      await unstored.settled(session, id)
      const row = await createOutgoing(db, createCodec(vault, session), session).find(id)
      if (!row || !(await viewer.seesChat(session, row.chat))) return undefined
      const { chat, state, created, written, ended, timestamp, error } = row
      const { message = '', code = '' } = error ? keptRefusal(error) : {}
      const times = { accepted: created, written, ended, acked: timestamp }
      return { chat, state, ...times, error: message, errorCode: code }
    },
    async received(session, id, viewer) {
      const entries = await createInbox(db, createCodec(vault, session), session).byMessage(id)
      const seen = await Promise.all(entries.map(({ stanza }) => viewer.seesChat(session, chatOf(stanza))))
      const times = entries.filter((_, at) => seen[at]).map(({ received }) => received)
      return times.length > 0 ? Math.min(...times) : undefined
    },
  }
}

/** For a message from an own device, the recipient is the chat. */
function chatOf({ attrs: { from, recipient } }: BinaryNode): string {
  return jidNormalizedUser(recipient ?? from)
}
