import { readFileSync } from 'node:fs'
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
    defects: { ...BAILEYS, [ownNewsletter.name]: NO_PICTURE },
  },
]
