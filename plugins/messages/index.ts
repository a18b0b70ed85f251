import { phoneOf, toFamilyCasing } from 'wamux/messaging'
import {
  asFunction,
  asValue,
  createInterval,
  definePlugin,
  type Interval,
  type Log,
  type PluginDb,
  type Recording,
  type Sessions,
  type Signal,
} from 'wamux/plugin'
import { ConfigSchema, type MessagesConfig } from './config.ts'
import { events } from './events.ts'
import { createMarkRead, type MarkRead, reachedByPlaying, reachedByReading } from './mark-read.ts'
import { type Attachments, createAttachments } from './media/attachments.ts'
import { createLinks } from './media/links.ts'
import { createReceivedFiles } from './media/received-files.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { mediaRoutes } from './routes-media.ts'
import { sendRoutes } from './routes-send.ts'
import { eventSamples } from './samples.ts'
import { createPolls } from './state/polls.ts'
import { createStates, type States } from './state/states.ts'
import { ofHistory } from './translate/history.ts'
import { hookedFailed, hookedIncoming, hookedSent } from './translate/hooked.ts'
import { ofFailed, ofMessage, ofReceipt, ofSent, ofUndecryptable, partsOf } from './translate/message.ts'
import { additionRoutes } from './verbs/routes-additions.ts'
import { forwardRoutes } from './verbs/routes-forward.ts'
import { markRoutes } from './verbs/routes-marks.ts'
import { pollRoutes } from './verbs/routes-polls.ts'

interface Deps {
  db: PluginDb
  config: MessagesConfig
  log: Log
}

const HOUR_MS = 3_600_000
/** As long as the driver keeps the secrets under which votes are sealed. */
const POLL_MS = 90 * 24 * HOUR_MS

/** Deletes rows older than `keepDays`, at start and every hour. */
function createPruning({ db, config, log }: Deps): Interval {
  async function prune(): Promise<void> {
    const before = Date.now() - Math.round(config.keepDays * 24 * HOUR_MS)
    for (const table of ['states', 'reuploads'])
      await db.prune(table, (query) => query.where('logged', '<', before))
    for (const table of ['votes', 'tallies'])
      await db.prune(table, (query) => query.where('logged', '<', Date.now() - POLL_MS))
  }
  return createInterval(HOUR_MS, prune, (error) =>
    log.error({ err: error }, 'deleting old message states failed'),
  )
}

declare module 'wamux/plugin' {
  interface GatewayServices {
    attachments: Attachments
    /** A message's content as plain JSON, with the field names that receivers expect. */
    messageJson: typeof toFamilyCasing
    /** Public base address of this gateway; '' if none is configured. */
    publicAddress: { readonly url: string }
    messageStates: Pick<States, 'span'>
    markRead: MarkRead
  }
}

/** Messages and their states, files and votes, in the JSON that receivers of this family of gateways expect. */
export default definePlugin({
  name: 'messages',
  version: '0.1.0',
  api: '^1.0.0',
  scope: 'send',
  config: ConfigSchema,
  needs: ['wire', 'files', 'messageTimes', 'sender', 'targets', 'messageHookChain'],
  provides: ['attachments', 'messageJson', 'publicAddress', 'messageStates', 'markRead'],
  migrations,
  services: () => ({
    messageJson: asValue(toFamilyCasing),
    publicAddress: asFunction(({ config }: { config: MessagesConfig }) => ({
      url: config.publicUrl,
    })).singleton(),
    states: asFunction(createStates).singleton(),
    messageStates: asFunction(({ states }: { states: States }) => states).singleton(),
    markRead: asFunction(createMarkRead).singleton(),
    polls: asFunction(createPolls).singleton(),
    links: asFunction(createLinks).singleton(),
    receivedFiles: asFunction(createReceivedFiles).singleton(),
    attachments: asFunction(createAttachments).singleton(),
    pruning: asFunction(createPruning)
      .singleton()
      .disposer((service) => service.stop()),
  }),
  routes: (r) => [
    ...routes(r),
    ...sendRoutes(r),
    ...mediaRoutes(r),
    ...forwardRoutes(r),
    ...markRoutes(r),
    ...additionRoutes(r),
    ...pollRoutes(r),
  ],
  events,
  contributes: { eventSamples },
  translate: {
    message: async ({ data, session }, deps) => {
      const recording = await ofMessage(await partsOf(deps, session), data)
      return hookedIncoming(deps.messageHookChain, session, data, recording)
    },
    'message.sent': async ({ data, session }, deps) => {
      const recording = await ofSent(await partsOf(deps, session), data)
      return hookedSent(deps.messageHookChain, session, data, recording)
    },
    'message.failed': ({ data, session, time }, deps) =>
      hookedFailed(deps.messageHookChain, session, data, ofFailed(data, time)),
    receipt: async ({ data, session }, deps) => ofReceipt(await partsOf(deps, session), data),
    'messages.read': ({ data, session, time }, { states }) => ({
      writes: states.enter(session, reachedByReading(data, time)),
    }),
    'messages.played': ({ data, session, time }, { states }) => ({
      writes: states.enter(session, reachedByPlaying(data, time)),
    }),
    'message.undecryptable': async ({ data, session }, deps) =>
      ofUndecryptable(deps.wire, (await partsOf(deps, session)).session, data),
    setting: ofStar,
    'baileys.messaging-history.set': async ({ data, session }, deps) => ({
      events: await ofHistory(await partsOf(deps, session), data),
    }),
  },
  unreadable: {
    message: 'Message',
    'message.sent': 'Message',
    'message.failed': 'Message',
    receipt: 'ReadReceipt',
    'baileys.messaging-history.set': 'HistorySync',
  },
  async setup({ pruning }) {
    pruning.start()
  },
})

/** A star that a device of the account, this one included, has set or removed. */
async function ofStar(
  { session, data }: Signal<'setting'>,
  { sessions }: { sessions: Sessions },
): Promise<Recording | undefined> {
  const { index, version, time, action, isOld } = data
  const [name, chat = '', id = '', isOwn, author = '0'] = index
  const { starred } = action.starAction ?? {}
  if (isOld || name !== 'star' || typeof starred !== 'boolean') return undefined
  const event = {
    ChatJID: chat,
    ChatJIDAlt: await phoneOf(await sessions.byId(session), chat),
    SenderJID: author === '0' ? '' : author,
    IsFromMe: isOwn === '1',
    MessageID: id,
    Timestamp: time,
    Action: { starred },
    FromFullSync: false as const,
  }
  const key = `${version} ${time} ${index.join(' ')}`
  return { events: [{ type: 'Star', key, chat, time, body: { event } }] }
}
