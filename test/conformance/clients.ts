import { readFileSync } from 'node:fs'
import { hostedAgain, hostedReader, hostedWriter } from './areas/hosted.ts'
import { linkByCode, linkByQr } from './areas/link.ts'
import { textByNumber } from './areas/messages.ts'
import { followedNewsletter, ownNewsletter } from './areas/newsletters.ts'
import { firstContact, loginFields, pings, pulledQueue } from './areas/ranked.ts'
import { calls } from './areas/signals.ts'

/** A foreign client. `name` is its package in test/conformance/package.json. */
export interface ForeignClient {
  readonly name: string
  readonly title: string
  /** Whether it resumes Noise sessions (IK). */
  readonly resumes: boolean
  /** Faults of the network that spare it what it can't do. */
  readonly spared: readonly string[]
  /** Why it fails on its own, by area. */
  readonly defects: Readonly<Record<string, string>>
}

const { dependencies } = JSON.parse(readFileSync('test/conformance/package.json', 'utf8')) as {
  dependencies: Record<string, string>
}
const versionOf = (name: string): string => dependencies[name]?.split('@').at(-1) ?? ''

/** New newsletters have no picture. */
const NO_PICTURE = 'a defect of the client: newsletterCreate needs a picture in the answer'

const RANKED = {
  [loginFields.name]: 'a defect of the client',
  [firstContact.name]: 'a defect of the client: it knows no salt',
}
const BAILEYS = {
  ...RANKED,
  [pings.name]: 'a defect of the client: it has no handler for them',
  [pulledQueue.name]:
    'a defect of the client: it asks for one batch of 100, and holds its events until the end',
}

const UNPADDED =
  'a defect of the client: it asks its phone for keys in a message without padding, which no phone can read'

/** It has no code for their servers, and the network no keys for the device 99 of another server. */
const NOT_HOSTED =
  'a defect of the client: it knows no hosted devices, and fails to send if one device has no keys'
/** As WhatsApp Web does unless AB 6939 is on. */
const LEFT_OUT = 'a difference of the client: it leaves out hosted devices'
/** Others map the server to that of the account (WM message.go, zapo 1.8.0 protocol/jid.ts). */
const OWN_CHAT = 'a defect of the client: the chat is that of the device, not that of its account'
/** whatsapp-rust ends it (client/device_registry.rs). */
const KEPT_SESSION = 'a defect of the client: it keeps the session with a device that was removed'

/** The other side answers by LID, and has its session there. */
const OTHER_FORM = 'a defect of the client: its session is under the number, not under the LID too (11)'

/**
 * They know no tokens for first contacts, and address people as they are told. Baileys asks for what waited once, for a hundred
 * stanzas.
 */
const SPARED = ['pushQueue', 'lenientTokens', 'lenientAddressing']

export const CLIENTS: readonly ForeignClient[] = [
  {
    name: 'whatsapp-rust',
    title: `whatsapp-rust ${versionOf('whatsapp-rust')}`,
    resumes: false,
    spared: [],
    defects: {
      [loginFields.name]:
        'a difference of the client: it counts no attempts, and names another version of the system',
      [hostedReader.name]: LEFT_OUT,
      [hostedAgain.name]: LEFT_OUT,
      [hostedWriter.name]: OWN_CHAT,
    },
  },
  {
    name: 'zapo-js',
    title: `zapo-js ${versionOf('zapo-js')}`,
    resumes: true,
    spared: SPARED,
    defects: {
      ...RANKED,
      [linkByQr.name]: UNPADDED,
      [linkByCode.name]: UNPADDED,
      [calls.name]: 'a defect of the client: it does not acknowledge calls',
      [pings.name]: 'a defect of the client: it answers only those with a type',
      [textByNumber.name]: OTHER_FORM,
      [hostedWriter.name]: OWN_CHAT,
      [hostedAgain.name]: KEPT_SESSION,
    },
  },
  {
    name: 'baileys-6',
    title: `Baileys ${versionOf('baileys-6')}`,
    resumes: false,
    spared: SPARED,
    defects: {
      ...BAILEYS,
      [textByNumber.name]: OTHER_FORM,
      [hostedReader.name]: NOT_HOSTED,
      [hostedAgain.name]: NOT_HOSTED,
      [ownNewsletter.name]: NO_PICTURE,
      [followedNewsletter.name]:
        'a defect of the client: newsletterFollow has a query id that Baileys 7 has replaced',
    },
  },
  {
    name: 'baileys-7',
    title: `Baileys ${versionOf('baileys-7')}`,
    resumes: false,
    spared: SPARED,
    defects: { ...BAILEYS, [hostedAgain.name]: KEPT_SESSION, [ownNewsletter.name]: NO_PICTURE },
  },
]
