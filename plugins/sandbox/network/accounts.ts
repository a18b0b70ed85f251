import { randomInt } from 'node:crypto'
import { gatewayError } from 'wamux/plugin'
import { bare, parseJid, SERVER, withDevice } from '../stanza.ts'
import type { Account, BotProfile, Stanza } from '../types.ts'
import { newRestrictions, type Restrictions } from './restrictions.ts'

export interface SignedPreKey {
  id: Buffer
  value: Buffer
  signature: Buffer
}

/** What a device published so that others can write to it. */
export interface Bundle {
  registration: Buffer
  identity: Buffer
  signed: SignedPreKey
  /** One-time prekeys, each handed out once. */
  oneTime: { id: Buffer; value: Buffer }[]
}

/** An open line to a device: a companion's connection, or a phone. */
export interface Link {
  send(stanza: Stanza): void
  /** Ends it after these last stanzas. */
  close(...last: Stanza[]): void
}

export interface Device {
  readonly account: AccountState
  /** 0 is the phone. */
  readonly id: number
  /** With the device number. */
  readonly jid: string
  readonly lid: string
  /** Noise public key that logs it in; a phone has none. */
  readonly noiseKey: Buffer | undefined
  readonly platform: string
  bundle: Bundle | undefined
  link: Link | undefined
  /** Past `active`: it takes messages. Before, they wait in its queue. */
  isActive: boolean
  /** Sent `available`: its receipts count as a person's. */
  isAvailable: boolean
  /** What was sent and not acknowledged yet, by class and id. */
  readonly queue: Map<string, Stanza[]>
}

export interface AccountState extends Account {
  readonly devices: Map<number, Device>
  nextDevice: number
  about: string
  picture: { id: string; data: Buffer } | undefined
  readonly blocked: Set<string>
  readonly privacy: Map<string, string>
  /** App-state patches by collection, oldest first. */
  readonly collections: Map<string, Buffer[]>
  /** Phone numbers of accounts that watch this one's presence. */
  readonly watchers: Set<Device>
  /** Who is in its address book, as its phone told the network. */
  readonly contacts: Set<AccountState>
  /** Tokens that it gave to people, who show them where only contacts may look. */
  readonly trusted: Map<AccountState, Buffer>
  /** Who it has exchanged messages with. */
  readonly met: Set<AccountState>
  /** Who its status posts are for. */
  audience: { type: string; users: AccountState[] }
  readonly restrictions: Restrictions
  /** What a bot shows of itself; people have none. */
  readonly bot: BotProfile | undefined
}

export interface Directory {
  create(options: { phone?: string; name?: string; business?: boolean }): AccountState
  /** A bot's account: known by its own kind of JID, and without a phone number. */
  createBot(id: string, profile: BotProfile): AccountState
  all(): AccountState[]
  /** By phone number, phone JID or LID, with or without a device. */
  find(who: string): AccountState | undefined
  /** By a JID with its device; device 0 when it has none. */
  device(jid: string): Device | undefined
  addDevice(account: AccountState, id: number, noiseKey: Buffer | undefined, platform: string): Device
}

export function createDirectory(): Directory {
  const byUser = new Map<string, AccountState>()
  const find = (who: string): AccountState | undefined =>
    byUser.get(parseJid(who)?.user ?? who.replace(/\D/g, ''))

  return {
    create({ phone, name = '', business = false }) {
      const digits = phone === undefined ? freePhone(byUser) : phone.replace(/[^\d]/g, '')
      if (!/^\d{7,15}$/.test(digits)) throw gatewayError('PHONE_INVALID', [phone])
      if (byUser.has(digits))
        throw gatewayError('FIELD_INVALID', ['Phone', `${digits} has an account already`])
      const account = newAccount(digits, name || digits, business)
      byUser.set(digits, account)
      byUser.set(parseJid(account.lid)?.user ?? '', account)
      return account
    },
    createBot(id, profile) {
      const jid = `${id}@bot`
      const account = { ...newAccount(id, profile.name, false), jid, lid: jid, bot: profile }
      byUser.set(id, account)
      return account
    },
    all: () => [...new Set(byUser.values())],
    find,
    device(jid) {
      const parsed = parseJid(jid)
      return parsed && byUser.get(parsed.user)?.devices.get(parsed.device)
    },
    addDevice(account, id, noiseKey, platform) {
      const device: Device = {
        account,
        id,
        jid: withDevice(account.jid, id),
        lid: withDevice(account.lid, id),
        noiseKey,
        platform,
        bundle: undefined,
        link: undefined,
        isActive: false,
        isAvailable: false,
        queue: new Map(),
      }
      account.devices.set(id, device)
      return device
    },
  }
}

function newAccount(phone: string, name: string, business: boolean): AccountState {
  return {
    phone,
    jid: `${phone}@${SERVER}`,
    // A LID tells nothing of the number, but must be stable for tests to read: reversed, with a mark.
    lid: `9${[...phone].reverse().join('')}7@lid`,
    name,
    business,
    devices: new Map(),
    nextDevice: 1,
    about: 'Hey there! I am using a simulated phone.',
    picture: undefined,
    blocked: new Set(),
    privacy: new Map(
      Object.entries({
        readreceipts: 'all',
        profile: 'all',
        status: 'contacts',
        online: 'all',
        last: 'all',
        groupadd: 'all',
        calladd: 'all',
      }),
    ),
    collections: new Map(),
    watchers: new Set(),
    contacts: new Set(),
    trusted: new Map(),
    met: new Set(),
    audience: { type: 'contacts', users: [] },
    restrictions: newRestrictions(),
    bot: undefined,
  }
}

/** Numbers of the range that no country uses. */
function freePhone(taken: ReadonlyMap<string, unknown>): string {
  for (;;) {
    const phone = `999${randomInt(1e8, 1e9 - 1)}`
    if (!taken.has(phone)) return phone
  }
}

/** The account's JID in the same form, phone or LID, as `like` has. */
export function inFormOf(like: string, account: Account): string {
  return bare(like).endsWith('@lid') ? account.lid : account.jid
}
