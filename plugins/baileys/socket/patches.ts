import type { AuthenticationCreds, BinaryNode } from '@whiskeysockets/baileys'
import { initAuthCreds } from '../baileys.ts'
import type { Patch } from '../patches/index.ts'
import { areCachesBounded } from './bounded-caches.ts'
import { isUploadPatched } from './media-host.ts'
import { areFormsAdded } from './relay.ts'
import { areResendsTokened } from './retries/resends.ts'
import { areRequestsReplaced } from './retries/retry-requests.ts'
import { emitter, receiver, sender } from './stage-probe.ts'

/** The patches of each socket: the stages of its pipelines, and the look-up of its media host. */
export const SOCKET_PATCHES: readonly Patch[] = [
  {
    name: 'query-deadline',
    seam: 'Socket/socket.js waitForMessage',
    effect: 'an unanswered query ends with an error',
    test: 'test/plugins/baileys/socket/query-deadline.test.ts',
    verify: () =>
      new Promise((resolve) => {
        // The query's timer keeps no process alive, and nothing else may be running during this check.
        const limit = setTimeout(end, 1_000, false)
        function end(isEnded: boolean): void {
          clearTimeout(limit)
          resolve(isEnded)
        }
        const receive = receiver('query-deadline', { queryTimeoutMs: 1 }, (event) => {
          if (event === 'TAG:1') end(true)
        })
        if (receive) receive('newListener', 'TAG:1')
        else end(false)
      }),
  },
  {
    name: 'pairing',
    seam: "Socket/socket.js ws.on('CB:iq,type:set,pair-device'), ws.on('CB:iq,,pair-success')",
    effect:
      'the last QR code ends neither a pairing code nor a passkey ceremony; an invalid signature of a link is answered',
    test: 'test/plugins/baileys/pairing/linking.test.ts',
    verify() {
      let handled = 0
      const onPairDevice = (): void => {
        handled += 1
      }
      const receive = receiver('pairing', { onPairDevice }, () => {
        handled = Number.NaN
      })
      receive?.('CB:iq,type:set,pair-device', NODE)
      return handled === 1
    },
  },
  {
    name: 'replies',
    seam: 'Utils/signal.js parseAndInjectE2ESessions, Socket/messages-send.js getUSyncDevices',
    effect:
      'one recipient without keys does not fail a send to many; a start makes no new Signal sessions with known devices',
    test: 'test/plugins/status/status.test.ts',
    verify() {
      const users = [
        { tag: 'user', attrs: {}, content: [{ tag: 'error', attrs: {} }] },
        { tag: 'user', attrs: {} },
      ]
      const reply: BinaryNode = {
        tag: 'iq',
        attrs: {},
        content: [{ tag: 'list', attrs: {}, content: users }],
      }
      receiver('replies', {}, () => undefined)?.('TAG:1', reply)
      const [list] = reply.content as BinaryNode[]
      return list?.content?.length === 1
    },
  },
  {
    name: 'offline-queue',
    seam: "Socket/socket.js ws.on('CB:ib,,offline_preview')",
    issue: 'WhiskeySockets/Baileys#2810',
    effect: 'the whole offline queue is requested, not only the first hundred stanzas',
    test: 'test/plugins/baileys/socket/connection/offline-queue.test.ts',
    verify() {
      const asked: BinaryNode[] = []
      const passed: string[] = []
      const sendNode = async (node: BinaryNode): Promise<void> => void asked.push(node)
      const content = [{ tag: 'offline_preview', attrs: { count: '7' } }]
      const receive = receiver('offline-queue', { sendNode }, (event) => passed.push(event))
      receive?.('CB:ib,,offline_preview', { tag: 'ib', attrs: {}, content })
      return asked.length === 1 && passed.length === 0
    },
  },
  {
    name: 'status-stanzas',
    seam: 'Socket/messages-recv.js CB:message',
    effect: 'status posts that arrive as `<status>` are read and acknowledged',
    test: 'test/plugins/baileys/socket/status-stanzas.test.ts',
    verify() {
      const passed: string[] = []
      receiver('status-stanzas', {}, (event) => passed.push(event))?.('CB:status', {
        tag: 'status',
        attrs: {},
      })
      return passed.join() === 'CB:message'
    },
  },
  {
    name: 'dirty-bits',
    seam: "Socket/groups.js, communities.js, chats.js ws.on('CB:ib,,dirty')",
    effect: 'notices of outdated data are confirmed at once, without fetching all groups',
    test: 'test/plugins/baileys/socket/bulletins.test.ts',
    verify() {
      const sent: BinaryNode[] = []
      const passed: string[] = []
      const query = async (node: BinaryNode): Promise<void> => void sent.push(node)
      const content = [{ tag: 'dirty', attrs: { type: 'groups', timestamp: '1' } }]
      const receive = receiver('dirty-bits', { query }, (event) => passed.push(event))
      receive?.('CB:ib,,dirty', { tag: 'ib', attrs: {}, content })
      return sent.length === 1 && passed.length === 0
    },
  },
  {
    name: 'own-senders',
    seam: 'Utils/decode-wa-message.js extractAddressingContext',
    issue: 'vinikjkkj/zapo#241',
    effect:
      "the account's own number is not taken for that of a person to whom the Cloud API has written for the account",
    test: 'test/plugins/baileys/receive/hosted-devices.test.ts',
    verify() {
      const seen: BinaryNode[] = []
      const creds: AuthenticationCreds = { ...initAuthCreds(), me: { id: '1@s.whatsapp.net', lid: '2@lid' } }
      const attrs = { from: '2:99@hosted.lid', recipient: '3@lid', sender_pn: '1@s.whatsapp.net', id: '4' }
      const receive = receiver('own-senders', { creds }, (_, stanza) => seen.push(stanza))
      receive?.('CB:message', { tag: 'message', attrs })
      receive?.('CB:message', { tag: 'message', attrs: { ...attrs, from: '3@lid' } })
      return seen.map((stanza) => 'sender_pn' in stanza.attrs).join() === 'false,true'
    },
  },
  {
    name: 'journal-before-ack',
    seam: 'Socket/messages-recv.js handleReceipt, handleNotification, handleCall',
    effect:
      'receipts, notifications and calls are stored before they are acknowledged; live messages keep their order',
    test: 'test/plugins/calls/calls.test.ts',
    async verify() {
      const seen: string[] = []
      const stored = deferred()
      const parts = { onStanza: () => stored.promise }
      receiver('journal-before-ack', parts, (event) => seen.push(event))?.('CB:receipt', NODE)
      await turn()
      const early = seen.length
      stored.resolve()
      await turn()
      return early === 0 && seen.length === 1
    },
  },
  {
    name: 'receipts',
    seam: 'Socket/messages-recv.js handleReceipt',
    effect: "a group member's receipt is acknowledged directly, without passing through three queues",
    test: 'test/plugins/baileys/socket/receipts.test.ts',
    verify() {
      const seen: string[] = []
      let acks = 0
      const acknowledge = async (): Promise<void> => {
        acks += 1
      }
      const receive = receiver('receipts', { acknowledge }, (event) => seen.push(event))
      const attrs = { id: '1', from: '2@lid' }
      receive?.('CB:receipt', { tag: 'receipt', attrs })
      receive?.('CB:receipt', { tag: 'receipt', attrs: { ...attrs, type: 'retry' } })
      return acks === 1 && seen.length === 1
    },
  },
  {
    name: 'bot-questions',
    seam: 'Utils/decode-wa-message.js decodeMessageNode, Socket/messages-send.js sendReceipt',
    issue: 'WhiskeySockets/Baileys#2822',
    effect:
      'a message written to a bot on another device is confirmed in its chat, so that it is not resent forever',
    test: 'test/plugins/sandbox/bot-questions.test.ts',
    async verify() {
      const sent: BinaryNode[] = []
      const creds: AuthenticationCreds = { ...initAuthCreds(), me: { id: '1@s.whatsapp.net', lid: '2@lid' } }
      const sendNode = async (node: BinaryNode): Promise<void> => void sent.push(node)
      const attrs = { from: '2@lid', recipient: '3@bot', id: '4' }
      receiver(
        'bot-questions',
        { creds, sendNode },
        () => undefined,
      )?.('CB:message', {
        tag: 'message',
        attrs,
        content: [{ tag: 'enc', attrs: {} }],
      })
      await turn()
      return sent[0]?.attrs['recipient'] === '3@bot'
    },
  },
  {
    name: 'unused-events',
    seam: 'Utils/event-buffer.js emit',
    effect: 'messages are not held in memory, and listed for each further one, while more keep arriving',
    test: 'test/plugins/baileys/socket/unused-events.test.ts',
    verify() {
      const passed: string[] = []
      const emit = emitter('unused-events', {}, (event) => passed.push(event))
      emit?.('messages.upsert', { messages: [], type: 'notify' })
      emit?.('contacts.update', [])
      return passed.join() === 'contacts.update'
    },
  },
  {
    name: 'history',
    seam: 'Utils/event-buffer.js append, consolidateEvents',
    effect: 'each part of the history is logged as received, with its phone-to-LID mappings',
    test: 'test/plugins/messages/history.test.ts',
    verify() {
      let parts = 0
      emitter('history', {
        onHistory: () => {
          parts += 1
        },
      })?.('messaging-history.set', HISTORY)
      return parts === 1
    },
  },
  {
    name: 'push-name',
    seam: 'Socket/socket.js creds.update',
    effect: 'a name with an @ does not end the connection',
    test: 'test/plugins/users/shared.test.ts',
    verify() {
      const creds: AuthenticationCreds = { ...initAuthCreds(), me: { id: '1@s.whatsapp.net', name: 'a' } }
      const sent: BinaryNode[] = []
      const sendNode = async (node: BinaryNode): Promise<void> => void sent.push(node)
      emitter('push-name', { creds, sendNode })?.('creds.update', { me: { id: '', name: 'a@b' } })
      return sent[0]?.attrs['name'] === 'ab'
    },
  },
  {
    name: 'commit-barrier',
    seam: 'Socket/Client/websocket.js send',
    effect: 'no frame is sent before the writes that it depends on are committed',
    test: 'test/plugins/baileys/store/store.test.ts',
    async verify() {
      const frames: Uint8Array[] = []
      const committed = deferred()
      sender(
        'commit-barrier',
        { settled: () => committed.promise },
        (frame) => void frames.push(frame),
      )?.(Buffer.alloc(1))
      await turn()
      const early = frames.length
      committed.resolve()
      await turn()
      return early === 0 && frames.length === 1
    },
  },
  {
    name: 'media-host',
    seam: 'Socket/messages-send.js refreshMediaConn',
    effect: 'a failed look-up of the media host does not end uploads',
    test: 'test/plugins/baileys/socket/query-deadline.test.ts',
    verify: isUploadPatched,
  },
  {
    name: 'stanza-forms',
    seam: 'Socket/messages-send.js relayMessage, getMediaType',
    effect:
      'stanzas say that a message is viewed once, and of which kind it is, also in an envelope, with the preview of a link, and in newsletters',
    test: 'test/plugins/baileys/send/stanza-forms.test.ts',
    verify: areFormsAdded,
  },
  {
    name: 'resends',
    seam: 'Socket/messages-recv.js sendMessagesAgain',
    effect:
      "messages resent to a person's device carry the privacy token, without which WhatsApp refuses them",
    test: 'test/plugins/baileys/send/resend-tokens.test.ts',
    verify: areResendsTokened,
  },
  {
    name: 'retry-requests',
    seam: 'Utils/message-retry-manager.js hasExceededMaxRetries, Socket/messages-recv.js sendRetryRequest',
    effect: 'retry receipts give a reason, and no recipient in groups',
    test: 'test/plugins/baileys/socket/retries/retry-requests.test.ts',
    verify: areRequestsReplaced,
  },
  {
    name: 'caches',
    seam: 'Utils/message-retry-manager.js MessageRetryManager',
    effect: 'an idle link has no empty cache arrays; messages are resent from the database',
    test: 'test/plugins/baileys/socket/bounded-caches.test.ts',
    verify: areCachesBounded,
  },
]

const NODE: BinaryNode = { tag: 'receipt', attrs: {} }
const HISTORY = { chats: [], contacts: [], messages: [], isLatest: false, progress: 0 }

function deferred(): { promise: Promise<void>; resolve(): void } {
  let resolve = (): void => undefined
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
