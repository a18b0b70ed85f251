import { setTimeout as pause } from 'node:timers/promises'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import type { LooseNetwork } from '../support/network.ts'

const DOWN_MS = 700
/** Always: messages are in flight when a connection breaks. */
const DELAY_MS = 8
const LONG_DELAY_MS = 30
/** Codes of stream errors after which a client may come back. */
const CODES = [500, 503, 515, 428]

interface Place {
  readonly loose: LooseNetwork
  readonly linked: readonly Phone[]
  readonly random: () => number
}

type Trouble = (place: Place & { Phone: string }) => Promise<void>

/** What goes wrong, the frequent things more than once. */
const TROUBLES: readonly (readonly [name: string, trouble: Trouble])[] = [
  ...Array.from({ length: 6 }, () => ['down', down] as const),
  [
    'stream error',
    async ({ loose, Phone, random }) =>
      loose.network.fault({ Fault: 'streamError', Phone, Code: CODES[Math.floor(random() * CODES.length)] }),
  ],
  ['drop', async ({ loose, Phone }) => loose.network.fault({ Fault: 'drop', Phone })],
  ['silence', silence],
  [
    'delay',
    async (place) => {
      await during('delay', place, { Ms: LONG_DELAY_MS })
      delay(place)
    },
  ],
  ['lost acks', lostAcks],
  ['late receipts', (place) => during('holdReceipts', place)],
  [
    'redelivery',
    async ({ loose, Phone, random }) =>
      loose.network.fault({ Fault: 'redeliver', Phone, Count: 1 + Math.floor(random() * 5) }),
  ],
]

/** One trouble after the next until `until`, the same ones for the same random numbers; resolves with how many there were. */
export async function storm(
  place: Place,
  until: number,
  told: (name: string, count: number) => void,
): Promise<number> {
  const { random, linked } = place
  let count = 0
  delay(place)
  while (Date.now() < until) {
    await pause(500 + random() * 3_500)
    const [name, trouble] = TROUBLES[Math.floor(random() * TROUBLES.length)] ?? ['down', down]
    const { account } = linked[Math.floor(random() * linked.length)] as Phone
    await trouble({ ...place, Phone: account.phone })
    count += 1
    told(name, count)
  }
  place.loose.network.fault({ Fault: 'clear' })
  return count
}

function delay({ loose, linked }: Place): void {
  for (const { account } of linked)
    loose.network.fault({ Fault: 'delay', Phone: account.phone, Ms: DELAY_MS })
}

async function down({ loose }: Place): Promise<void> {
  loose.network.fault({ Fault: 'down' })
  await pause(DOWN_MS)
  loose.network.fault({ Fault: 'up' })
}

/** Frames of both directions are swallowed; a connection that has lost some does not go on. */
async function silence({ loose, Phone, random }: Place & { Phone: string }): Promise<void> {
  loose.network.fault({ Fault: 'silent', Phone })
  await pause(1_000 + random() * 5_000)
  loose.network.fault({ Fault: 'drop', Phone })
  loose.network.endFault({ Fault: 'silent', Phone })
}

/** The network has the messages, but the acks get lost with their connection. */
async function lostAcks(place: Place & { Phone: string }): Promise<void> {
  place.loose.network.fault({ Fault: 'holdAcks', Phone: place.Phone })
  await pause(300 + place.random() * 700)
  place.loose.network.fault({ Fault: 'drop', Phone: place.Phone })
  await pause(100)
  // Nobody waits for them any more: they come out of place.
  place.loose.network.endFault({ Fault: 'holdAcks', Phone: place.Phone })
}

async function during(
  Fault: string,
  { loose, Phone, random }: Place & { Phone: string },
  more: object = {},
): Promise<void> {
  loose.network.fault({ Fault, Phone, ...more })
  await pause(1_000 + random() * 3_000)
  loose.network.endFault({ Fault, Phone })
}
