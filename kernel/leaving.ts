import type { TSchema } from 'typebox'
import { kindOf as kindOfText } from './validate/kinds.ts'

/** What a call can let out of an account. */
export const LEAVING = {
  /** A person, group or channel gets something: a message, a receipt, typing, a call. */
  recipient: 'somebody gets something',
  /** The gateway requests an address that the client has chosen: its host receives what the address contains. */
  fetch: 'an address is requested',
  /** What others see of the account: name, about text, picture, username, presence, privacy. */
  profile: 'the public profile changes',
  /** Groups, communities and channels: their names, descriptions, pictures, settings and members. */
  group: 'a group or channel changes',
  /** The name under which the account has saved a person, on all its devices. */
  contact: 'a saved name changes',
  /** The business profile and the catalogue. */
  business: 'the business profile or catalogue changes',
} as const

export type Leaving = keyof typeof LEAVING

export const isLeaving = (word: string | undefined): word is Leaving =>
  word !== undefined && Object.hasOwn(LEAVING, word)

/** A value of a body that names a chat or a person. */
export interface NamedChat {
  /** `ContextInfo.Participant` */
  readonly field: string
  readonly value: unknown
  /**
   * The kind of address in the field, from the schema's keyword `names`: `chat` for the format `phone` without it,
   * `message` for the id of a message that the handler looks up with the viewer, `unknown` for a field that only by its
   * name seems to name a chat.
   */
  readonly kind: string
  /** Replaces the value by an address. */
  replace(address: string): void
}

/** Something that a call lets out. */
export interface Left {
  readonly leaving: Leaving
  /** The chat or person that gets it, or about whom it is; absent if the body names nobody. */
  readonly chat?: NamedChat
  /** The address that is requested, with its field. */
  readonly address?: { readonly field: string; readonly url: string }
}

/** The declarations of a route. */
export interface Declared {
  readonly spec: { readonly body?: TSchema | undefined; readonly leaves?: readonly Leaving[] | undefined }
}

/** A field of a schema, and what it declares. */
export interface DeclaredField extends Said {
  /** `Items[].Image` */
  readonly field: string
}

interface Said {
  /** As `NamedChat.kind`, with `none` and `author`; absent for a field that names nobody. */
  readonly names?: string | undefined
  readonly leaves?: Leaving | 'nothing' | undefined
  /** Only the name of the field suggests that it is an address to request. */
  readonly isSuspected?: boolean
  readonly isFile?: boolean
}

interface Shape {
  type?: string | string[]
  enum?: unknown[]
  names?: string
  leaves?: string
  format?: string
  properties?: Record<string, Shape>
  items?: Shape
  anyOf?: Shape[]
  oneOf?: Shape[]
  allOf?: Shape[]
}

/** The values of a checked body that name a chat: those of declared fields, and of fields whose name suggests it. */
export function chatsNamed(schema: unknown, body: unknown): NamedChat[] {
  return parts(schema, body).flatMap(({ chat }) => chat ?? [])
}

/** What a call with this checked body lets out. Fetched addresses count for every route, whatever it declares. */
export function leavingIn({ spec }: Declared, body: unknown): Left[] {
  const declared = spec.leaves ?? []
  const left = parts(spec.body, body).flatMap(({ chat, leaves, address }): Left[] => {
    if (address) return [{ leaving: 'fetch', address }]
    const leaving = chat && leavingOfChat({ names: chat.kind, leaves }, declared)
    return leaving ? [{ leaving, chat }] : []
  })
  const unnamed = declared.filter((leaving) => !left.some((one) => one.leaving === leaving))
  return [...left, ...unnamed.map((leaving) => ({ leaving }))]
}

/** What calls of a route can let out, with the fields; none for what is not decided by a field. */
export function leavingOf({ spec }: Declared): ReadonlyMap<Leaving, readonly string[]> {
  const { leaves: declared = [] } = spec
  const found = new Map<Leaving, string[]>(declared.map((leaving) => [leaving, []]))
  const content = declared.find(isContent)
  for (const one of fieldsOf(spec.body)) {
    const { names, leaves } = one
    const isAddress = names !== undefined && !NOBODY.includes(names)
    const kept = leaves === undefined && !isAddress ? content : leavingOfChat(one, declared)
    const leaving = leaves === 'fetch' ? leaves : kept
    if (leaving) found.set(leaving, [...(found.get(leaving) ?? []), one.field])
  }
  return found
}

/** Kinds for which all fields count that say nothing else. */
const isContent = (leaving: Leaving): boolean => leaving !== 'recipient' && leaving !== 'fetch'

/** Values of `names` for which nobody gets anything. */
const NOBODY = ['none', 'author', 'message']

/** What an address stands for: as its field declares, or else as the route does. */
function leavingOfChat({ names = 'none', leaves }: Said, declared: readonly Leaving[]): Leaving | undefined {
  if (leaves !== undefined) return leaves === 'nothing' ? undefined : leaves
  if (NOBODY.includes(names)) return undefined
  return declared.includes('recipient') ? 'recipient' : declared.find(isContent)
}

interface Part {
  readonly chat?: NamedChat
  readonly leaves?: Said['leaves']
  readonly address?: Left['address']
}

/** All that a body names: chats, and addresses to request. */
function parts(schema: unknown, body: unknown): Part[] {
  return walk(schema as Shape | undefined, body, '', {})
}

function walk(shape: Shape | undefined, value: unknown, path: string, outer: Said): Part[] {
  if (typeof value !== 'object' || value === null) return []
  const isList = Array.isArray(value)
  const properties = propertiesOf(shape)
  const holder = value as Record<string, unknown>
  return Object.entries(holder).flatMap(([name, inner]): Part[] => {
    const own = isList ? itemsOf(shape) : properties[name]
    const field = path ? `${path}.${name}` : name
    const said = within(outer, saidBy(own, isList ? '' : name))
    const { names, leaves } = said
    if (leaves === 'fetch' && typeof inner === 'string')
      return isRequested(inner, said) ? [{ address: { field, url: inner.trim() } }] : []
    const isAddress = names !== undefined && names !== 'none'
    if (isAddress && !(Array.isArray(inner) && saidBy(itemsOf(own), '').names))
      return values(holder, name, field, names).map((chat) => ({ chat, leaves }))
    return walk(own, inner, field, said)
  })
}

/** Declarations of an object that hold for all within it. */
function within(outer: Said, said: Said): Said {
  return {
    ...said,
    ...(outer.names === 'none' ? { names: 'none' } : {}),
    ...(outer.leaves === 'nothing' ? { leaves: 'nothing' } : {}),
  }
}

/** A file is also given by its content: base64 or a data URL, without a scheme of an address. */
function isRequested(text: string, { isFile = false }: Said): boolean {
  return isFile ? /^\s*(?!data:)[a-z][a-z\d+.-]*:/i.test(text) : text.trim() !== ''
}

/** A value, or each one of a list: a value that is not text can't be resolved later. */
function values(holder: Record<string, unknown>, name: string, field: string, kind: string): NamedChat[] {
  const value = holder[name]
  if (value === undefined || value === null || typeof value === 'boolean') return []
  if (Array.isArray(value))
    return value.flatMap((_, at) =>
      values(value as unknown as Record<string, unknown>, String(at), `${field}.${at}`, kind),
    )
  const replace = (address: string): void => {
    holder[name] = address
  }
  return [{ field, value, kind, replace }]
}

/** The host of an address that a client has given, to show and to record; '' if it has none. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : ''
}

/** Every field of a schema that takes a value, at any depth. */
export function fieldsOf(schema: unknown): DeclaredField[] {
  const found = new Map<string, DeclaredField>()
  const visit = (shape: Shape | undefined, path: string, name: string, outer: Said): void => {
    const said = within(outer, saidBy(shape, name))
    const properties = Object.entries(propertiesOf(shape))
    const items = itemsOf(shape)
    for (const [key, one] of properties) visit(one, path ? `${path}.${key}` : key, key, said)
    if (items) visit(items, `${path}[]`, '', said)
    if (properties.length === 0 && !items && path) found.set(path, { field: path, ...said })
  }
  visit(schema as Shape | undefined, '', '', {})
  return [...found.values()]
}

function saidBy(shape: Shape | undefined, name: string): Said {
  const branches = branchesOf(shape)
  const names = branches
    .map((one) => one.names ?? (one.format === 'phone' ? 'chat' : undefined))
    .find((one) => one !== undefined)
  const leaves = branches
    .map((one) => one.leaves ?? kindOfText(one.format ?? '')?.leaves)
    .find((one) => one !== undefined) as Said['leaves']
  const items = itemsOf(shape)
  const isNamed = !names && name !== '' && !(items && saidBy(items, '').names) && isSuspect(name)
  const isLink = !leaves && LINK.test(lastWord(name)) && mayBeText(branches)
  return {
    names: names ?? (isNamed ? 'unknown' : undefined),
    leaves: leaves ?? (isLink ? 'fetch' : undefined),
    isSuspected: isLink,
    isFile: branches.some(({ format }) => format === 'file'),
  }
}

/** Last words, in the singular, of the names of fields for a chat or a person. */
const SUSPECT =
  /^(phone|number|jid|lid|chat|group|to|recipient|target|participant|member|sender|receiver|author|newsletter|channel|community|contact|user|username|peer)$/

/** And of those for an address that may be requested. */
const LINK = /^(url|uri|href|link|callback)$/

/** `ChatIDs` → `chat`: the last meaningful word. */
export function isSuspect(name: string): boolean {
  const words = wordsOf(name)
  while (words.length > 1 && /^(id|list|address|name)$/.test(words.at(-1) ?? '')) {
    // A group's name is just a text; a user's name is an address.
    if (words.at(-1) === 'name' && words.at(-2) !== 'user') return false
    words.pop()
  }
  return SUSPECT.test(words.at(-1) ?? '')
}

const lastWord = (name: string): string => wordsOf(name).at(-1) ?? ''

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_.-]+/)
    .map((word) => word.toLowerCase().replace(/s$/, ''))
}

/** Whether a text is accepted; of a field without a schema, too. */
function mayBeText(branches: readonly Shape[]): boolean {
  return (
    branches.length === 0 ||
    branches.some(({ type, enum: words, properties, items, anyOf, oneOf, allOf }) =>
      type
        ? [type].flat().includes('string') && !words
        : !(properties || items || anyOf || oneOf || allOf || words),
    )
  )
}

function branchesOf(shape: Shape | undefined): Shape[] {
  if (!shape) return []
  return [
    shape,
    ...[shape.anyOf, shape.oneOf, shape.allOf].flatMap((list) => (list ?? []).flatMap(branchesOf)),
  ]
}

function propertiesOf(shape: Shape | undefined): Record<string, Shape> {
  return Object.assign(Object.create(null), ...branchesOf(shape).map(({ properties }) => properties ?? {}))
}

function itemsOf(shape: Shape | undefined): Shape | undefined {
  return branchesOf(shape).find(({ items }) => items)?.items
}
