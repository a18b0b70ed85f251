import { gatewayError, type LiveSession, type Viewer } from 'wamux/plugin'
import type { SessionValues } from '../config.ts'
import type { Facts } from '../store/sent-facts.ts'
import type { CloudFiles } from './files.ts'
import { nativeOf } from './native.ts'
import { type BuiltPart, type Parts, textOf } from './parts.ts'

/** WhatsApp's limits for a poll. */
const MAX_QUESTION = 255
const MAX_OPTIONS = 12

interface Options {
  readonly session: LiveSession
  readonly viewer: Viewer
  readonly chat: string
  readonly mode: SessionValues['interactive']
  readonly files: CloudFiles
}

/**
 * An interactive message in the form that the session prefers. A poll needs two to twelve different choices, a short
 * question and no file; anything else is sent as text, or as the caption of its file.
 */
export function interactiveOf(parts: Parts, options: Options): BuiltPart {
  const { session, chat, mode, files } = options
  const { kind, file, choices } = parts
  const header = file && (() => files.content(options, file.kind, file.given, `header.${file.kind}`))
  if (mode === 'native' && hasButtons(parts)) return nativeOf(parts, session, chat, header)
  const facts: Facts = { kind, choices }
  if (mode === 'poll' && !file && isPoll(parts)) {
    const values = choices.map(({ label }) => label)
    return { content: () => ({ poll: { name: question(parts), values, selectableCount: 1 } }), facts }
  }
  const text = textOf(parts)
  const numbered = choices.length > 0 ? { facts: { ...facts, isNumbered: true } } : {}
  if (!file) return { content: () => ({ text, linkPreview: null }), ...numbered }
  if (!text) throw gatewayError('FIELD_MISSING', ['body'])
  return {
    content: () => files.content(options, file.kind, { ...file.given, caption: text }, `header.${file.kind}`),
    ...numbered,
  }
}

function hasButtons({ choices, links, isLocationRequest }: Parts): boolean {
  return choices.length > 0 || links.length > 0 || isLocationRequest === true
}

function question(parts: Parts): string {
  return textOf({ ...parts, choices: [] })
}

function isPoll(parts: Parts): boolean {
  const labels = new Set(parts.choices.map(({ label }) => label))
  const isWhole = labels.size === parts.choices.length && labels.size >= 2 && labels.size <= MAX_OPTIONS
  return isWhole && question(parts).length <= MAX_QUESTION
}
