import { signal } from '@preact/signals'
import { type Language, languageOf, type NameIn, numberIn, type Texts, textIn, type Values } from './i18n.ts'
import { loadPart } from './shell/load-part.ts'
import type attention from './text/en/attention.json'
import type audit from './text/en/audit.json'
import type chats from './text/en/chats.json'
import type composer from './text/en/composer.json'
import type deliveries from './text/en/deliveries.json'
import type fleet from './text/en/fleet.json'
import type health from './text/en/health.json'
import type inspector from './text/en/inspector.json'
import type keys from './text/en/keys.json'
import type link from './text/en/link.json'
import type message from './text/en/message.json'
import type page from './text/en/page.json'
import type palette from './text/en/palette.json'
import type phones from './text/en/phones.json'
import type plugins from './text/en/plugins.json'
import type session from './text/en/session.json'
import type settings from './text/en/settings.json'
import type shell from './text/en/shell.json'

/** The text files: one per screen, and one for the shell and the parts. */
interface Files {
  attention: typeof attention
  audit: typeof audit
  chats: typeof chats
  composer: typeof composer
  deliveries: typeof deliveries
  fleet: typeof fleet
  health: typeof health
  inspector: typeof inspector
  keys: typeof keys
  link: typeof link
  message: typeof message
  page: typeof page
  palette: typeof palette
  phones: typeof phones
  plugins: typeof plugins
  session: typeof session
  settings: typeof settings
  shell: typeof shell
}

/** `fleet.title`; for a text with the forms `sessions_one` and `sessions_other`, `fleet.sessions`. */
export type TextKey = { [F in keyof Files]: `${F}.${NameIn<Files[F]>}` }[keyof Files]

type TextFiles = Readonly<Record<string, Texts>>

/** One chunk per language: `./text/en/fleet.json` is in the English one. */
const LOADERS: Record<Language, () => Promise<{ default: TextFiles }>> = {
  en: () => import('./text/en.ts'),
  pt: () => import('./text/pt.ts'),
  es: () => import('./text/es.ts'),
  de: () => import('./text/de.ts'),
  id: () => import('./text/id.ts'),
}

const STORED = 'wamux-language'

export const language = signal<Language>(preferred())
const texts = signal<TextFiles>({})

export async function loadTexts(wanted: Language = language.value): Promise<void> {
  const { default: loaded } = await loadPart(LOADERS[wanted])
  texts.value = loaded
  language.value = wanted
  document.documentElement.lang = wanted
}

export async function setLanguage(wanted: Language): Promise<void> {
  await loadTexts(wanted)
  localStorage.setItem(STORED, wanted)
}

/** The text in the language of the page; `{name}` in it is replaced by that value, and `count` chooses the form. */
export function t(key: TextKey, values: Values = {}): string {
  const [file = '', ...rest] = key.split('.')
  return find(file, rest.join('.'), values) ?? key
}

/** The text for a key built at run time, for example for a state; undefined if there is none. */
export function textFor(file: keyof Files, key: string): string | undefined {
  return find(file, key, {})
}

/** A number in the language's format. */
export function numberOf(value: number, options?: Intl.NumberFormatOptions): string {
  if (options) return new Intl.NumberFormat(language.value, options).format(value)
  return numberIn(language.value, value)
}

const BYTES = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** A number of bytes in a suitable unit. */
export function bytesOf(bytes: number): string {
  const at = Math.min(BYTES.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const unit = BYTES[at] ?? 'byte'
  const unitDisplay = at === 0 ? 'long' : 'short'
  return numberOf(bytes / 1000 ** at, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 })
}

/** Date and time in the language's format. */
export function timeOf(at: string | number | Date): string {
  return formatOf({ dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }, at)
}

/** Creating one takes longer than formatting hundreds of times. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** '' for what is no time. */
export function formatOf(options: Intl.DateTimeFormatOptions, at: string | number | Date): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  const key = `${language.value} ${JSON.stringify(options)}`
  const format = formats.get(key) ?? new Intl.DateTimeFormat(language.value, options)
  formats.set(key, format)
  return format.format(date)
}

function find(file: string, name: string, values: Values): string | undefined {
  return textIn(texts.value[file] ?? {}, language.value, name, values)
}

function preferred(): Language {
  return languageOf([localStorage.getItem(STORED) ?? '', ...navigator.languages])
}
