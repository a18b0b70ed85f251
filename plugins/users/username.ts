import { gatewayError, isGatewayError, type Socket } from 'wamux/plugin'
import { type Data, mex } from './mex.ts'

/** Queries of WhatsApp Web (zapo spec/mex, client/coordinators/WaProfileCoordinator.ts). */
const GET = { id: '25347099718279209', path: 'xwa2_username_get' }
const SET = { id: '25757341163897635', path: 'xwa2_username_set' }
const CHECK = { id: '26122779627399568', path: 'xwa2_username_check' }
const SET_PIN = { id: '9749436995157074', path: 'xwa2_username_pin_set' }

export interface OwnUsername {
  /** Without @; '' for none. */
  Username: string
  /** The network's word, for example OWNED; '' for none. */
  State: string
  HasPin: boolean
}

/** The account's own username. The PIN stays on the network: who may read settings could otherwise pass it on. */
export async function readUsername(socket: Socket): Promise<OwnUsername> {
  const answer = await mex(socket, GET, {}, 'read the username').catch((error: unknown) => {
    if (isGatewayError(error) && error.code === 'NETWORK_UNKNOWN') return {} as Data
    throw error
  })
  const { username, state, pin } = (answer['username_info'] ?? {}) as Data
  return { Username: withoutAt(String(username ?? '')), State: String(state ?? ''), HasPin: Boolean(pin) }
}

/** Rejects FIELD_INVALID for a name that no account may have, USERNAME_REFUSED for one that this account does not get. */
export async function setUsername(socket: Socket, given: string): Promise<string> {
  const username = toUsername(given)
  const variables = { input: username, reserved: false, session_id: '', source: 'USER_INPUT' }
  const { result } = await mex(socket, SET, variables, 'set the username')
  if (result !== SUCCESS) throw gatewayError('USERNAME_REFUSED', [`@${username}`, String(result)])
  return username
}

export async function removeUsername(socket: Socket): Promise<void> {
  await change(socket, SET, {}, 'remove the username')
}

/** Rejects FIELD_INVALID for anything but four digits, NETWORK_UNKNOWN if the account has no username. */
export async function setUsernamePin(socket: Socket, pin: string): Promise<void> {
  // The text is not quoted: it may be a PIN in use.
  if (!/^\d{4}$/.test(pin)) throw gatewayError('FIELD_INVALID', ['Pin', 'must have four digits'])
  await change(socket, SET_PIN, { pin }, 'set the PIN of the username')
}

/** Whether the account could have a username, and others that the network suggests in its place. Rejects FIELD_INVALID. */
export async function checkUsername(
  socket: Socket,
  given: string,
): Promise<{ Available: boolean; Suggestions: string[] }> {
  const input = toUsername(given)
  const { result, suggestions } = await mex(socket, CHECK, { input }, 'check the username')
  const listed: unknown[] = Array.isArray(suggestions) ? suggestions : []
  return {
    Available: result === SUCCESS,
    Suggestions: listed.filter((name): name is string => typeof name === 'string').map(withoutAt),
  }
}

const SUCCESS = 'SUCCESS'

async function change(socket: Socket, query: typeof SET, variables: Data, verb: string): Promise<void> {
  const { result } = await mex(socket, query, variables, verb)
  if (result !== SUCCESS) throw gatewayError('NETWORK_FAILED', [verb, String(result)])
}

const DOMAINS = ['com', 'org', 'net', 'int', 'edu', 'gov', 'mil', 'arpa', 'html', 'htm', 'txt', 'xml']
const RESERVED = ['whatsapp', 'instagram', 'facebook', 'oculus']

/** What WhatsApp Web checks before it asks, in its order (zapo protocol/username.ts). */
const RULES: readonly (readonly [rule: string, isKept: (name: string) => boolean])[] = [
  ['must have only letters from A to Z, digits, dots and underscores', (name) => /^[a-z0-9._]*$/.test(name)],
  ['must have 3 to 35 characters', ({ length }) => length >= 3 && length <= 35],
  ['must have a letter', (name) => /[a-z]/.test(name)],
  [
    'must not begin or end with a dot, nor have two in a row',
    (name) => !name.startsWith('.') && !name.endsWith('.') && !name.includes('..'),
  ],
  ['must not begin with www.', (name) => !name.startsWith('www.')],
  [
    `must not end with ${DOMAINS.map((domain) => `.${domain}`).join(', ')}`,
    (name) => !DOMAINS.some((domain) => name.endsWith(`.${domain}`)),
  ],
  [`must not contain ${RESERVED.join(', ')}`, (name) => !RESERVED.some((word) => name.includes(word))],
]

/** With or without @. Throws FIELD_INVALID with the rule that it breaks. */
function toUsername(given: string): string {
  const username = withoutAt(given.trim())
  const broken = RULES.find(([, isKept]) => !isKept(username.toLowerCase()))
  if (broken) throw gatewayError('FIELD_INVALID', ['Username', broken[0]])
  return username
}

function withoutAt(username: string): string {
  return username.startsWith('@') ? username.slice(1) : username
}
