import type { EndpointEdits, EndpointFilter, Webhook, WebhookFields } from '../../parts/webhooks.ts'

/** What is typed into the form of a webhook. */
export interface EndpointDraft {
  readonly url: string
  /** Every event, whatever its class. */
  readonly isAll: boolean
  readonly classes: readonly string[]
  readonly filter: EndpointFilter
  /** As typed, separated by commas or lines. */
  readonly types: string
  readonly allow: string
  readonly deny: string
  readonly format: string
  /** '' for the default of the format. */
  readonly edits: EndpointEdits | ''
  readonly events: readonly string[]
  /** undefined keeps those that are set, whose values are never shown. */
  readonly headers: readonly Header[] | undefined
  /** JSON as typed. */
  readonly transform: string
  readonly includesToken: boolean
}

export interface Header {
  readonly name: string
  readonly value: string
}

/** The properties of messages that a filter leaves out by a switch. */
export const KINDS = ['OwnMessages', 'Groups', 'Statuses', 'Newsletters'] as const

const EMPTY: EndpointDraft = {
  url: '',
  isAll: true,
  classes: [],
  filter: {},
  types: '',
  allow: '',
  deny: '',
  format: 'wamux',
  edits: '',
  events: [],
  headers: [],
  transform: '',
  includesToken: false,
}

export function draftOf(webhook: Webhook | undefined): EndpointDraft {
  if (!webhook) return EMPTY
  const { url, subscribe, filter, format, edits, events, headers, transform, includesToken } = webhook
  const isAll = subscribe.includes('All')
  const list = (items: readonly string[] = []): string => items.join(', ')
  return {
    ...{ url, isAll, filter, format, edits, events, includesToken },
    classes: isAll ? [] : subscribe.filter((name) => name !== 'None'),
    types: list(filter.Types),
    allow: list(filter.AllowChats?.map(numberOf)),
    deny: list(filter.DenyChats?.map(numberOf)),
    headers: headers.length > 0 ? undefined : [],
    transform: Object.keys(transform).length > 0 ? JSON.stringify(transform, null, 2) : '',
  }
}

/** What selects the events of the webhook. */
export function selectionOf(draft: EndpointDraft): WebhookFields & { Events: string[]; Subscribe: string[] } {
  const { isAll, classes, format, edits, events } = draft
  return {
    Subscribe: isAll ? ['All'] : classes.length > 0 ? [...classes] : ['None'],
    Filter: filterOf(draft),
    Format: format,
    ...(edits ? { Edits: edits } : {}),
    Events: [...events],
  }
}

/** Throws SyntaxError for a transform that is no JSON. */
export function fieldsOf(draft: EndpointDraft, isGlobal: boolean): WebhookFields {
  const { headers, includesToken } = draft
  const given = headers?.filter(({ name }) => name.trim() !== '')
  return {
    ...selectionOf(draft),
    Transform: transformOf(draft),
    ...(given ? { Headers: Object.fromEntries(given.map(({ name, value }) => [name.trim(), value])) } : {}),
    ...(isGlobal ? { IncludeToken: includesToken } : {}),
  }
}

export function transformOf({ transform }: EndpointDraft): object {
  const parsed: unknown = transform.trim() ? JSON.parse(transform) : {}
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  throw new SyntaxError('{ … }')
}

function filterOf({ filter, types, allow, deny }: EndpointDraft): EndpointFilter {
  const left = KINDS.filter((kind) => filter[kind] === false).map((kind) => [kind, false])
  const lists = [
    ['Types', itemsIn(types)],
    ['AllowChats', itemsIn(allow)],
    ['DenyChats', itemsIn(deny)],
  ].filter(([, items]) => items && items.length > 0)
  return Object.fromEntries([...left, ...lists]) as EndpointFilter
}

function itemsIn(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((item) => item.trim())
    .filter(Boolean)
}

/** The number of a person's JID, which the filter takes too. */
function numberOf(jid: string): string {
  return jid.endsWith('@s.whatsapp.net') ? jid.slice(0, jid.indexOf('@')) : jid
}
