import { randomBytes, randomInt } from 'node:crypto'
import { gatewayError } from 'wamux/plugin'
import { noSnapshots, type Slot } from '../../snapshots.ts'
import { bare, isHosted, parseJid, SERVER, seconds, serverOf, withDevice } from '../../stanza.ts'
import type { Account, BotProfile, NewAccount, PrivacyMode, Stanza } from '../../types.ts'
import { type AccountRestrictions, newRestrictions } from './restrictions.ts'
import { usernameFault } from './username-rules.ts'

export interface SignedPreKey {
  id: Buffer
  value: Buffer
  signature: Buffer
}

/** The keys that a device published, with which others open a session with it. */
export interface Bundle {
  registration: Buffer
  identity: Buffer
  signed: SignedPreKey
  /** One-time prekeys; each is issued once. */
  oneTime: { id: Buffer; value: Buffer }[]
}

/** An open connection to a device: a companion or a phone. */
export interface DeviceLink {
  send(stanza: Stanza): void
  /** Closes it after sending these stanzas. */
  close(...last: Stanza[]): void
}

export interface Device {
  readonly account: AccountState
  /** 0 for the phone. */
  readonly id: number
  /** JID with the device number. */
  jid: string
  readonly lid: string
  /** Noise public key that authenticates it; the phone and the hosted device, which are simulated in this process, have none. */
  readonly noiseKey: Buffer | undefined
  readonly platform: string
  /** `lc` of its last login; undefined before the first login that had one. */
  loginCounter: number | undefined
  bundle: Bundle | undefined
  /** Not enumerable, since a snapshot of the state has no connections. */
  link: DeviceLink | undefined
  /** Whether it has sent `active`. Until then its messages stay queued. */
  isActive: boolean
  /** Whether it has sent presence `available`. */
  isAvailable: boolean
  /** Unacknowledged stanzas by class and id. */
  readonly queue: Map<string, Stanza[]>
  /** What it must fetch, by type, with the time of the change (Unix seconds). */
  readonly dirty: Map<string, string>
}

/** A token that an account issued to another one, and the start of its validity (Unix seconds). */
export interface TrustToken {
  readonly token: Buffer
  readonly t: number
}

export interface AccountState extends Account {
  phone: string
  jid: string
  hidesNumber: boolean
  /** The account that had the number before. */
  readonly former: AccountState | undefined
  readonly devices: Map<number, Device>
  nextDevice: number
  /** Four digits without which its username does not lead to it; '' for none. */
  usernamePin: string
  about: string
  /** When it was set (Unix seconds). */
  aboutSet: number
  email: string
  picture: { id: string; data: Buffer } | undefined
  readonly blocked: Set<string>
  readonly privacy: Map<string, string>
  /** Contacts excluded by a setting with the value `contact_blacklist`, by the name of the setting. */
  readonly hiddenFrom: Map<string, ReadonlySet<AccountState>>
  /** The disappearing timer of new chats in seconds, and when it was set. */
  disappearing: { duration: number; t: number }
  /** ADVSignedKeyIndexList: which companions are valid, signed by the phone; empty before the first one. */
  keyIndexes: Buffer
  /** App-state patches by collection, oldest first. */
  readonly collections: Map<string, Buffer[]>
  /** Devices subscribed to this account's presence, and whether they did so with a token of this account. */
  readonly watchers: Map<Device, { isTrusted: boolean }>
  /** The address book as reported by its phone. */
  readonly contacts: Set<AccountState>
  /** Tokens issued to other accounts, which grant them the access of a contact. */
  readonly trusted: Map<AccountState, TrustToken>
  /** For first-contact tokens, also known to its devices; undefined if it was withdrawn. */
  salt: Buffer | undefined
  /** Accounts with which it has a chat. */
  readonly correspondents: Set<AccountState>
  /** Correspondents that have written to it. */
  readonly writers: Set<AccountState>
  /** Chat and id of its latest messages: a duplicate is acknowledged but not relayed again. */
  readonly recentIds: Set<string>
  /** When it was last online (Unix seconds). */
  lastSeen: number | undefined
  /** The audience of its status posts. */
  audience: { type: string; users: AccountState[] }
  readonly restrictions: AccountRestrictions
  /** Public keys (SPKI) of its passkeys, by credential id (base64url). */
  readonly passkeys: Map<string, Buffer>
  /** Profile of a bot; undefined for other accounts. */
  readonly bot: BotProfile | undefined
  /** Absent for accounts whose chats only their own devices read. */
  privacyMode?: PrivacyMode
}

export interface Directory {
  create(options: NewAccount): AccountState
  /** Gives the account's number to a new account; the former one keeps its LID alone. */
  reassign(former: AccountState, name: string): AccountState
  /** Creates a bot's account, with a JID of the `bot` server instead of a phone number. */
  createBot(id: string, profile: BotProfile): AccountState
  all(): AccountState[]
  /** Finds an account by phone number, phone JID or LID, with or without a device. */
  find(who: string): AccountState | undefined
  /** The same. Throws ITEM_UNKNOWN if there is none. */
  get(who: string): AccountState
  /** Finds an account by a number as people write it: also a Brazilian one with or without the ninth digit, whichever it has. */
  byContact(number: string): AccountState | undefined
  /** Finds an account by its username; case-insensitive. */
  byUsername(name: string): AccountState | undefined
  /** '' removes it, and its PIN. Throws FIELD_INVALID if another account has it, or if no account may. */
  setUsername(account: AccountState, username: string): void
  /** Finds a device by JID; device 0 if the JID has none. A hosted device has servers of its own. */
  device(jid: string): Device | undefined
  addDevice(account: AccountState, id: number, noiseKey: Buffer | undefined, platform: string): Device
}

export function createDirectory(slot: Slot = noSnapshots.slot): Directory {
  const byUser = slot('accounts', () => new Map<string, AccountState>())
  for (const account of byUser.values()) disconnect(account)
  const byUsername = (name: string): AccountState | undefined =>
    [...byUser.values()].find(({ username }) => username !== '' && username === name.toLowerCase())
  function assertFree(username: string | undefined, owner?: AccountState): void {
    if (!username) return
    const fault = usernameFault(username)
    if (fault) throw gatewayError('FIELD_INVALID', ['Username', fault])
    const other = byUsername(username)
    if (other && other !== owner) throw gatewayError('FIELD_INVALID', ['Username', `@${username} is taken`])
  }
  const find = (who: string): AccountState | undefined =>
    byUser.get(parseJid(who)?.user ?? who.replace(/\D/g, ''))

  return {
    create({ phone, name = '', ...options }) {
      const digits = phone === undefined ? freePhone(byUser) : phone.replace(/[^\d]/g, '')
      if (!/^\d{7,15}$/.test(digits)) throw gatewayError('PHONE_INVALID', [phone])
      if (byUser.has(digits))
        throw gatewayError('FIELD_INVALID', ['Phone', `${digits} already has an account`])
      assertFree(options.username)
      const account = newAccount(digits, name || digits, options)
      byUser.set(digits, account)
      byUser.set(parseJid(account.lid)?.user ?? '', account)
      return account
    },
    reassign(former, name) {
      const { phone } = former
      const lid = freeLid(phone, byUser)
      const account = { ...newAccount(phone, name || phone, {}), lid, keptAs: lid, former }
      Object.assign(former, {
        phone: parseJid(former.lid)?.user ?? '',
        jid: former.lid,
        hidesNumber: true,
        lidMigrated: true,
      })
      for (const device of former.devices.values()) device.jid = device.lid
      byUser.set(phone, account)
      byUser.set(parseJid(lid)?.user ?? '', account)
      return account
    },
    createBot(id, profile) {
      const stored = byUser.get(id)
      if (stored) return stored
      const jid = `${id}@bot`
      const account = { ...newAccount(id, profile.name, {}), jid, lid: jid, bot: profile }
      byUser.set(id, account)
      return account
    },
    all: () => [...new Set(byUser.values())],
    find,
    get(who) {
      const account = find(who)
      if (!account) throw gatewayError('ITEM_UNKNOWN', [`Phone ${who}`])
      return account
    },
    byContact: (number) => find(number) ?? find(otherSpelling(number)),
    byUsername,
    setUsername(account, username) {
      assertFree(username, account)
      account.username = username.toLowerCase()
      if (!username) account.usernamePin = ''
    },
    device(jid) {
      const parsed = parseJid(jid)
      // A hosted device is known under its own servers alone (WM issue 960), and no other one is.
      if (!parsed || isHosted(jid) !== (parsed.server !== serverOf(jid))) return undefined
      return byUser.get(parsed.user)?.devices.get(parsed.device)
    },
    addDevice(account, id, noiseKey, platform) {
      const device = withLink({
        account,
        id,
        jid: withDevice(account.jid, id),
        lid: withDevice(account.lid, id),
        noiseKey,
        platform,
        loginCounter: undefined,
        bundle: undefined,
        isActive: false,
        isAvailable: false,
        queue: new Map(),
        dirty: new Map(),
      })
      account.devices.set(id, device)
      return device
    },
  }
}

/** Brazil, an area code of two digits, and a mobile number of eight digits, before which the ninth one, 9, was put in 2012. */
const BRAZILIAN_MOBILE = /^(?<area>55\d{2})(?<ninth>9?)(?<local>[6-9]\d{7})$/

/** A Brazilian mobile number with the ninth digit, if it lacks that, or else without it; '' for another number. */
function otherSpelling(number: string): string {
  const { area, ninth, local } = BRAZILIAN_MOBILE.exec(number.replace(/\D/g, ''))?.groups ?? {}
  return area === undefined ? '' : `${area}${ninth ? '' : '9'}${local}`
}

function withLink(device: Omit<Device, 'link'>): Device {
  return Object.defineProperty(device, 'link', { value: undefined, writable: true }) as Device
}

/** Resets the state that ends with the process: connections, subscriptions, and faults. */
function disconnect(account: AccountState): void {
  Object.assign(account, { watchers: new Map() })
  Object.assign(account.restrictions, newRestrictions())
  for (const device of account.devices.values())
    Object.assign(withLink(device), { isActive: false, isAvailable: false })
}

export function newSalt(): Buffer {
  return randomBytes(32)
}

function newAccount(
  phone: string,
  name: string,
  { business = false, username = '', hidesNumber = false, lidMigrated = true }: NewAccount,
): AccountState {
  return {
    phone,
    jid: `${phone}@${SERVER}`,
    lid: lidOf(phone),
    keptAs: phone,
    former: undefined,
    name,
    business,
    username: username.toLowerCase(),
    hidesNumber,
    lidMigrated,
    devices: new Map(),
    nextDevice: 1,
    usernamePin: '',
    about: 'Hey there! I am using a simulated phone.',
    aboutSet: seconds(),
    email: '',
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
    hiddenFrom: new Map(),
    disappearing: { duration: 0, t: 0 },
    keyIndexes: Buffer.alloc(0),
    collections: new Map(),
    watchers: new Map(),
    contacts: new Set(),
    trusted: new Map(),
    salt: newSalt(),
    correspondents: new Set(),
    writers: new Set(),
    recentIds: new Set(),
    lastSeen: undefined,
    audience: { type: 'contacts', users: [] },
    restrictions: newRestrictions(),
    passkeys: new Map(),
    bot: undefined,
  }
}

/**
 * For tests, a LID is deterministic, but must not reveal the number: the digits reversed, between 9 and 7.
 *
 * @param owner the how manieth owner of the number has it, from 0.
 */
function lidOf(phone: string, owner = 0): string {
  return `9${[...phone].reverse().join('')}${owner || ''}7@lid`
}

/** The LID of a number's next owner. */
function freeLid(phone: string, inUse: ReadonlyMap<string, unknown>): string {
  for (let owner = 1; ; owner += 1) {
    const lid = lidOf(phone, owner)
    if (!inUse.has(parseJid(lid)?.user ?? '')) return lid
  }
}

/** A number with the unassigned country code 999. */
function freePhone(inUse: ReadonlyMap<string, unknown>): string {
  for (;;) {
    const phone = `999${randomInt(1e8, 1e9 - 1)}`
    if (!inUse.has(phone)) return phone
  }
}

/** The account's JID in the addressing mode (phone number or LID) of `like`, as others see it. */
export function inFormOf(like: string, account: Account): string {
  return bare(like).endsWith('@lid') ? account.lid : (shownJid(account) ?? account.lid)
}

/** The phone JID as others see it; undefined if the account hides its number. */
export function shownJid({ jid, hidesNumber }: Account): string | undefined {
  return hidesNumber ? undefined : jid
}
