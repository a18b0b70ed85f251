import { CONTENT_SAMPLES } from '../../../plugins/messaging/samples.ts'

/** What a trigger does it with: the phone of somebody else, and the phone of the session's account. */
export interface TriggerStage {
  /** Number of the session's account. */
  readonly own: string
  /** Number of the other one. */
  readonly other: string
  /** Sends from the other phone to the session, or to a chat. @returns the id of the message. */
  send(message: object, to?: string): Promise<string>
  /** An action of the other phone's user. */
  act(action: object): Promise<Record<string, unknown>>
  /** An action on the phone of the session's account. */
  actOwn(action: object): Promise<Record<string, unknown>>
}

export interface Trigger {
  /** Type of the event that follows. */
  readonly event: string
  readonly summary: string
  run(stage: TriggerStage): Promise<unknown>
}

// A picture of 8 x 8 pixels.
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQMAAAD+wSzIAAAABlBMVEUoWtz///+vxr+nAAAADklEQVQI12P4AIX8EAgALgAD/aNpbtEAAAAASUVORK5CYII='

const text = (stage: TriggerStage, words: string): Promise<string> => stage.send({ conversation: words })

/** In the order in which they are listed. */
export const TRIGGERS: Readonly<Record<string, Trigger>> = {
  'message.text': message('a text', CONTENT_SAMPLES.text),
  'message.image': message('a picture with a caption', { image: PNG, caption: 'A picture' }),
  'message.document': message('a document', {
    document: `data:text/plain;base64,${Buffer.from('Hello').toString('base64')}`,
    mimetype: 'text/plain',
    fileName: 'hello.txt',
  }),
  'message.location': message('a location', CONTENT_SAMPLES.location),
  'message.contact': message('a contact', CONTENT_SAMPLES.contact),
  'message.poll': {
    event: 'Message',
    summary: 'a poll',
    run: ({ act, own }) =>
      act({ Action: 'poll', Chat: own, Text: 'Lunch?', Data: { Options: ['Pizza', 'Salad'], Count: 1 } }),
  },
  'message.reply': {
    event: 'Message',
    summary: 'a text that quotes an earlier one',
    async run(stage) {
      const stanzaId = await text(stage, 'Is this still available?')
      const participant = `${stage.other}@s.whatsapp.net`
      const contextInfo = {
        stanzaId,
        participant,
        quotedMessage: { conversation: 'Is this still available?' },
      }
      return stage.send({ extendedTextMessage: { text: 'I meant this one', contextInfo } })
    },
  },
  'message.reaction': after('a reaction to a message', { Action: 'react', Text: '👍' }),
  'message.edit': after('an edited message', { Action: 'edit', Text: 'Hello, corrected' }),
  'message.revoke': after('a message deleted for everyone', { Action: 'revoke' }),
  'message.group': {
    event: 'Message',
    summary: 'a text in a new group',
    async run({ act, send, own }) {
      const { JID } = await act({ Action: 'createGroup', Text: 'Trigger', Participants: [own] })
      return send({ conversation: 'Hello, group' }, String(JID))
    },
  },
  'receipt.read': {
    event: 'ReadReceipt',
    summary: 'the messages of the session are read',
    run: ({ act, own }) => act({ Action: 'read', Chat: own }),
  },
  'presence.typing': person('ChatPresence', 'the other person types', { Action: 'typing' }),
  'presence.recording': person('ChatPresence', 'the other person records a voice note', {
    Action: 'recording',
  }),
  'presence.paused': person('ChatPresence', 'the other person stops typing', { Action: 'paused' }),
  'call.offer': person('CallOffer', 'a call, which goes on ringing', { Action: 'call' }),
  'call.missed': {
    event: 'CallTerminate',
    summary: 'a call that the other person gives up',
    async run({ act, own }) {
      const { Id } = await act({ Action: 'call', Chat: own })
      return act({ Action: 'hangUp', Chat: own, Id, Data: { Reason: 'timeout' } })
    },
  },
  'group.joined': {
    event: 'JoinedGroup',
    summary: 'the session is added to a new group',
    run: ({ act, own }) => act({ Action: 'createGroup', Text: 'Trigger', Participants: [own] }),
  },
  'group.subject': group('the subject of a group changes', { Action: 'subject', Text: 'Trigger, renamed' }),
  'group.locked': group('only admins may change a group', { Action: 'lock' }),
  'group.removed': {
    event: 'GroupInfo',
    summary: 'the session is removed from a group',
    async run({ act, own }) {
      const { JID } = await act({ Action: 'createGroup', Text: 'Trigger', Participants: [own] })
      return act({ Action: 'removeFromGroup', Chat: JID, Participants: [own] })
    },
  },
  'chat.archived': own('Archive', 'the chat is archived on the own phone', { Action: 'archive' }),
  'chat.pinned': own('Pin', 'the chat is pinned on the own phone', { Action: 'pin' }),
  'chat.muted': own('Mute', 'the chat is muted on the own phone', { Action: 'mute' }),
}

function message(what: string, content: object): Trigger {
  return { event: 'Message', summary: what, run: ({ send }) => send(content) }
}

/** An action on a message that is sent first. */
function after(summary: string, action: object): Trigger {
  return {
    event: 'Message',
    summary,
    async run(stage) {
      const Id = await text(stage, 'Hello')
      return stage.act({ ...action, Chat: stage.own, Id })
    },
  }
}

function person(event: string, summary: string, action: object): Trigger {
  return { event, summary, run: (stage) => stage.act({ ...action, Chat: stage.own }) }
}

function own(event: string, summary: string, action: object): Trigger {
  return { event, summary, run: (stage) => stage.actOwn({ ...action, Chat: stage.other }) }
}

/** An action on a new group of both. */
function group(summary: string, action: object): Trigger {
  return {
    event: 'GroupInfo',
    summary,
    async run({ act, own }) {
      const { JID } = await act({ Action: 'createGroup', Text: 'Trigger', Participants: [own] })
      return act({ ...action, Chat: JID })
    },
  }
}
