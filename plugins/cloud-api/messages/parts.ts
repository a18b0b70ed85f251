import type { BinaryNode } from '@whiskeysockets/baileys'
import type { SendContent } from 'wamux/messaging'
import { gatewayError } from 'wamux/plugin'
import type { Choice, Facts } from '../store/sent-facts.ts'
import type { FileGiven, InteractiveGiven } from './body.ts'

/** An interactive message or template, before its form is decided. */
export interface Parts {
  readonly kind: NonNullable<Facts['kind']>
  readonly title?: string | undefined
  readonly file?: { readonly kind: 'image' | 'video' | 'document'; readonly given: FileGiven } | undefined
  readonly body: string
  readonly footer?: string | undefined
  /** The choices that a tap answers. */
  readonly choices: readonly Choice[]
  /** Label of the button that opens a list. */
  readonly opener?: string | undefined
  /** Buttons that open a page, call a number or copy a text. */
  readonly links: readonly LinkButton[]
  /** Requests the location of the other side. */
  readonly isLocationRequest?: boolean
}

export interface LinkButton {
  readonly label: string
  readonly target: string
  readonly kind: 'url' | 'call' | 'copy'
}

/** A message ready to be sent. */
export interface BuiltPart {
  content(): Promise<SendContent> | SendContent
  readonly nodes?: BinaryNode[]
  /** The data that later webhooks need. */
  readonly facts?: Facts
}

/** Most characters of a poll option and of a question that apps show in full. */
const MAX_LABEL = 100

/** Throws CLOUD_UNSUPPORTED for kinds without a fall-back, FIELD_MISSING. */
export function partsOf(given: InteractiveGiven): Parts {
  const { type, header, body, footer, action = {} } = given
  const { buttons, sections, button, parameters = {} } = action
  const base = {
    kind: 'button' as const,
    ...headOf(header),
    body: body?.text ?? '',
    footer: footer?.text,
    choices: [],
    links: [],
  }
  if (!body && type !== 'product') throw gatewayError('FIELD_MISSING', ['interactive.body'])
  if (type === 'button') {
    if (!buttons) throw gatewayError('FIELD_MISSING', ['interactive.action.buttons'])
    return { ...base, choices: buttons.map(({ reply }) => choiceOf(reply)) }
  }
  if (type === 'list') {
    if (!sections) throw gatewayError('FIELD_MISSING', ['interactive.action.sections'])
    if (!button) throw gatewayError('FIELD_MISSING', ['interactive.action.button'])
    const choices = sections.flatMap(({ rows }) => rows.map(choiceOf))
    return { ...base, kind: 'list', choices, opener: button }
  }
  if (type === 'cta_url') {
    const { url, display_text: label = url } = parameters
    if (!url || !label) throw gatewayError('FIELD_MISSING', ['interactive.action.parameters.url'])
    return { ...base, links: [{ label, target: url, kind: 'url' }] }
  }
  if (type === 'location_request_message') return { ...base, isLocationRequest: true }
  throw gatewayError('CLOUD_UNSUPPORTED', [`interactive.type "${type}"`])
}

/** The message as plain text: choices numbered, links written out. */
export function textOf({ title, body, footer, choices, links }: Omit<Parts, 'kind'>): string {
  const list = choices.map(({ label }, at) => `${at + 1}. ${label}`).join('\n')
  const pages = links
    .map(({ label, target }) => (label === target ? target : `${label}: ${target}`))
    .join('\n')
  return [title ? `*${title}*` : '', body, list, pages, footer ? `_${footer}_` : '']
    .filter(Boolean)
    .join('\n\n')
}

export function choiceOf(given: Omit<Choice, 'label'>): Choice {
  const { title, description } = given
  const whole = description ? `${title} – ${description}` : title
  return { ...given, label: whole.length > MAX_LABEL ? `${whole.slice(0, MAX_LABEL - 1)}…` : whole }
}

function headOf(header: InteractiveGiven['header']): Pick<Parts, 'title' | 'file'> {
  if (!header) return {}
  const { type } = header
  if (type === 'text') return { title: header.text }
  const given = header[type]
  if (!given) throw gatewayError('FIELD_MISSING', [`interactive.header.${type}`])
  return { file: { kind: type, given } }
}
