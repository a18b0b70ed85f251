import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { textOf } from '../api.ts'
import '../style/palette.css'
import { t } from '../text.ts'
import { type Find, type FoundItem, findKnown, findLogged, idIn, readSessions } from './find.ts'
import { findContacts, isName, readContacts } from './find-contacts.ts'

const PAUSE_MS = 200

/** One box that leads to a session, contact, number, message, event, error or screen. */
export default function Palette({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const text = useSignal('')
  const sessions = useSignal<readonly FoundItem[]>([])
  const logged = useSignal<readonly Find[]>([])
  /** The text to which `logged` belongs. */
  const asked = useSignal('')
  const error = useSignal('')
  /** Undefined until all are read, once for each time that the palette opens. */
  const contacts = useSignal<Awaited<ReturnType<typeof readContacts>> | undefined>(undefined)

  useEffect(() => {
    dialog.current?.showModal()
    readSessions().then(
      (all) => {
        sessions.value = all
      },
      (failure: unknown) => {
        error.value = textOf(failure)
      },
    )
  }, [])

  useEffect(() => {
    const wanted = text.value
    if (!idIn(wanted)) return
    let isOver = false
    const look = async (): Promise<void> => {
      const found = await findLogged(wanted).catch(() => [])
      if (isOver) return
      logged.value = found
      asked.value = wanted
    }
    const timer = setTimeout(() => void look(), PAUSE_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [text.value])

  const needsContacts = isName(text.value) && sessions.value.length > 0
  useEffect(() => {
    if (!needsContacts) return
    const ended = new AbortController()
    void readContacts(sessions.value, ended.signal).then((all) => {
      if (!ended.signal.aborted) contacts.value = all
    })
    return () => ended.abort()
  }, [needsContacts, sessions.value])

  const isLooking =
    (idIn(text.value) !== undefined && asked.value !== text.value) || (needsContacts && !contacts.value)
  const finds = [
    ...(asked.value === text.value ? logged.value : []),
    ...findKnown(text.value, sessions.value),
    ...findContacts(text.value, contacts.value ?? []),
  ]

  /** The arrows move between the box and the results. */
  function onKeyDown(event: KeyboardEvent): void {
    const stops = [...(dialog.current?.querySelectorAll<HTMLElement>('input, a') ?? [])]
    const at = stops.indexOf(document.activeElement as HTMLElement)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step || at < 0) return
    event.preventDefault()
    stops[(at + step + stops.length) % stops.length]?.focus()
  }

  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={t('palette.title')}
      onClose={onClose}
      onKeyDown={onKeyDown}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          dialog.current?.querySelector('a')?.click()
        }}
      >
        <input
          type="search"
          autofocus
          autocomplete="off"
          spellcheck={false}
          maxLength={256}
          placeholder={t('palette.placeholder')}
          aria-label={t('palette.title')}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value
          }}
        />
      </form>
      <ul aria-label={t('palette.finds')}>
        {finds.map((find) => (
          <li key={find.href}>
            <a href={find.href} onClick={() => dialog.current?.close()}>
              <span>{find.title}</span> <span class="muted">{find.detail}</span>
            </a>
          </li>
        ))}
      </ul>
      <p class="palette-foot muted" role="status">
        {error.value || (isLooking ? t('palette.looking') : finds.length === 0 ? t('palette.none') : '')}
      </p>
    </dialog>
  )
}
