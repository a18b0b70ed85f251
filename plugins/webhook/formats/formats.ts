import { type GatewayServices, gatewayError, type Kernel, type LogEvent, type Session } from 'wamux/plugin'
import type { Edits, WebhookFormat } from '../contract.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { nativeFormats } from './native.ts'
import { checkTransform, isEmpty } from './transform.ts'

/** The formats of all plugins, by name. Complete once all plugins have started. */
export interface Formats {
  /** In the start order of their plugins, those of the gateway itself first. */
  list(): {
    readonly name: string
    readonly title: string
    readonly edits: readonly Edits[]
    readonly events: readonly string[]
  }[]
  /**
   * The form of the requests to an endpoint; no format if its plugin is disabled. With `none` an edit has a delivery only if
   * it is replayed by its id.
   */
  formOf(endpoint: Pick<Endpoint, 'format' | 'edits'>): {
    format: WebhookFormat | undefined
    edits: Exclude<Edits, 'none'>
  }
  /** The form of edits at an endpoint: its choice, or the default of its format. */
  editsOf(endpoint: Pick<Endpoint, 'format' | 'edits'>): Edits
  /** Whether a subscribed event is delivered to the endpoint. */
  accepts(endpoint: Endpoint, line: LogEvent, session: Session): boolean | Promise<boolean>
  /**
   * Throws FIELD_INVALID for a format that no enabled plugin has, for a form of edits or an event that the format does not
   * have, and for a transform of bodies that are not JSON.
   */
  check(given: Pick<Endpoint, 'format' | 'edits' | 'events' | 'transform'>): void
}

interface Deps extends Pick<Kernel<unknown>, 'contributions'> {
  attachments?: GatewayServices['attachments'] | undefined
}

const NAME = /^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$/
const EDITS: readonly Edits[] = ['native', 'none']

export function createFormats({ contributions, attachments }: Deps): Formats {
  const native = nativeFormats(attachments)
  let byName = namedOnce(native)
  let plugins = 0

  /** All contributions appear at once, when all plugins have started. */
  function known(): ReadonlyMap<string, WebhookFormat> {
    const given = contributions('webhookFormats')
    if (plugins < given.length) {
      byName = namedOnce([...native, ...given.flatMap(({ value }) => value)])
      plugins = given.length
    }
    return byName
  }
  function editsOf({ format, edits }: Pick<Endpoint, 'format' | 'edits'>): Edits {
    return edits || (choicesOf(known().get(format))[0] ?? 'native')
  }

  return {
    list: () =>
      [...known().values()].map((format) => {
        const { name, title = name, events = [] } = format
        return { name, title, edits: choicesOf(format), events }
      }),
    formOf(endpoint) {
      const edits = editsOf(endpoint)
      return { format: known().get(endpoint.format), edits: edits === 'none' ? 'native' : edits }
    },
    editsOf,
    accepts(endpoint, line, session) {
      const format = known().get(endpoint.format)
      if (!format || (editsOf(endpoint) === 'none' && isEdit(line))) return false
      return format.accepts?.(line, session) ?? true
    },
    check({ format: name, edits, events, transform }) {
      const format = known().get(name)
      if (!format)
        throw gatewayError('FIELD_INVALID', [
          'Format',
          `no enabled plugin has the format "${name}"; known are ${[...known().keys()].join(', ')}`,
        ])
      const choices = choicesOf(format)
      if (edits && !choices.includes(edits))
        throw gatewayError('FIELD_INVALID', ['Edits', `the format "${name}" has ${choices.join(', ')}`])
      const names = format.events ?? []
      const unknown = events.find((event) => !names.includes(event))
      if (unknown !== undefined)
        throw gatewayError('FIELD_INVALID', [
          'Events',
          `the format "${name}" has no event "${unknown}"; it has ${names.join(', ') || 'none of its own'}`,
        ])
      if (isEmpty(transform)) return
      checkTransform(transform)
      if (!hasJson(format))
        throw gatewayError('FIELD_INVALID', ['Transform', `the bodies of the format "${name}" are not JSON`])
    },
  }
}

function namedOnce(formats: readonly WebhookFormat[]): Map<string, WebhookFormat> {
  const byName = new Map<string, WebhookFormat>()
  for (const format of formats) {
    const { name } = format
    if (!NAME.test(name) || byName.has(name))
      throw new Error(`the webhook format "${name}" has an invalid name, or one that another format has`)
    byName.set(name, format)
  }
  return byName
}

function hasJson({ headers }: WebhookFormat): boolean {
  const given = typeof headers === 'function' ? headers({ id: '', now: 0 }) : headers
  return (given?.['content-type'] ?? 'application/json').startsWith('application/json')
}

function choicesOf(format: WebhookFormat | undefined): readonly Edits[] {
  return format?.edits ?? EDITS
}

function isEdit({ type, body }: LogEvent): boolean {
  if (type !== 'Message') return false
  const kind = (body['message'] as { type?: string } | undefined)?.type
  return kind === 'edit' || kind === 'revoke'
}
