import { api, login, offers, ROOT } from '../api.ts'
import { fitting } from '../forms/fitting.ts'
import { lookUpIn, withNames } from '../parts/people.ts'
import { screens } from '../screens/index.ts'
import { readOlder } from '../screens/inspector/events-of.ts'
import { t } from '../text.ts'
import { to } from './navigate.ts'
import { pageOf, pages } from './pages.ts'

/** A place of the dashboard that fits what somebody typed. */
export interface Find {
  readonly title: string
  /** What kind of thing it is, and where. */
  readonly detail: string
  readonly href: string
}

export interface FoundItem {
  readonly Id: string
  readonly Name: string
  readonly JID: string
  readonly Labels: Readonly<Record<string, string>>
}

const MOST = 12
const NUMBER = /^\+?[\d\s().-]{5,24}$/
const ERROR = /^[a-z]+(_[a-z]+)+$/i
/** Ids of events, and of messages as the clients of WhatsApp make them; also within a question. */
const ID = /\b(?:evt_\w{10,40}|(?=\w*\d)[0-9a-z]{12,64})\b/i

export async function readSessions(): Promise<readonly FoundItem[]> {
  return (await api.get('/session/summary')).Sessions
}

/** What is known without asking: screens, sessions, a number, an error code. */
export function findKnown(text: string, sessions: readonly FoundItem[]): Find[] {
  const wanted = text.trim()
  const fits = fitting(wanted)
  const ofSessions = sessions
    .filter(({ Id, Name, JID, Labels }) => fits([Name, ...Object.entries(Labels).flat()], [Id, JID]))
    .map((session) => ({
      title: nameOf(session),
      detail: [t('palette.session'), session.Name ? numberOf(session.JID) : ''].filter(Boolean).join(' · '),
      href: to(`/sessions/${encodeURIComponent(session.Id)}`),
    }))
  const found = [
    ...ofNumber(wanted),
    ...ofError(wanted),
    ...placesOf().filter(({ title }) => fits([title])),
    ...ofSessions,
  ]
  return found.slice(0, MOST)
}

export function nameOf({ Id, Name, JID }: FoundItem): string {
  return Name || numberOf(JID) || Id
}

/** The event or the message with the id in the text. */
export async function findLogged(text: string): Promise<Find[]> {
  const id = idIn(text)
  if (!id) return []
  const { rows } = await readOlder({ session: '', type: '', chat: '', id }, undefined)
  const event = rows.find((row) => row.id === id)
  if (event)
    return [
      {
        title: event.type,
        detail: [t('palette.event'), event.sessionName, event.text].filter(Boolean).join(' · '),
        href: to(`/events?${new URLSearchParams({ event: id, id })}`),
      },
    ]
  const row = rows.find(({ message }) => message === id)
  if (!row) return []
  await lookUpIn(row.session, row.chat)
  const chat = withNames(row.session, row.chat)
  return [
    {
      title: id,
      detail: [t('palette.message'), row.sessionName, chat].filter(Boolean).join(' · '),
      href: to(`/messages/${encodeURIComponent(row.session)}/${encodeURIComponent(id)}`),
    },
  ]
}

/** Whether `findLogged` has something to look for. */
export function idIn(text: string): string | undefined {
  const id = ID.exec(text)?.[0]
  return id && !NUMBER.test(id) ? id : undefined
}

function placesOf(): Find[] {
  const { IsSandbox } = login.value ?? {}
  const shown = screens.filter(
    ({ isOfSandbox, needs }) => (IsSandbox || !isOfSandbox) && (!needs || offers(needs)),
  )
  const own = shown.flatMap(({ nav, pattern }) => (nav ? { title: t(nav), place: pattern } : []))
  const ofPlugins = pages.value.map((page) => ({ title: page.Title, place: pageOf(page) }))
  return [...own, ...ofPlugins].map(({ title, place }) => ({
    title,
    detail: t('palette.screen'),
    href: to(place),
  }))
}

function ofNumber(text: string): Find[] {
  const digits = text.replace(/\D/g, '')
  if (!NUMBER.test(text) || digits.length < 5) return []
  const href = to(`/events?${new URLSearchParams({ chat: digits })}`)
  return [{ title: digits, detail: t('palette.number'), href }]
}

function ofError(text: string): Find[] {
  if (!ERROR.test(text) || !offers('errors')) return []
  const code = text.toUpperCase()
  return [{ title: code, detail: t('palette.error'), href: `${ROOT}/docs/errors/${code}` }]
}

const numberOf = (jid: string): string => jid.replace(/@.*/, '')
