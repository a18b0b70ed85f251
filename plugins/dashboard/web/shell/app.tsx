import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { login, logOut, offers, readLogin, spendCode, textOf } from '../api.ts'
import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'
import { screens } from '../screens/index.ts'
import { t } from '../text.ts'
import { FindButton } from './find-button.tsx'
import { LoginScreen } from './login.tsx'
import { path, startNavigation, to } from './navigate.ts'
import { pageOf, pages, readPages } from './pages.ts'
import { Preferences } from './preferences.tsx'
import { Screen } from './screen.tsx'

/** Browsers' longest timer. */
const MAX_TIMER_MS = 2 ** 31 - 1

startNavigation()

export function App() {
  const error = useSignal('')
  const wasIn = useSignal(false)
  const reason = useSignal('')
  useEffect(() => {
    spendCode()
      .catch((failure: unknown) => {
        reason.value = textOf(failure)
      })
      .then(readLogin)
      .catch((failure: unknown) => {
        error.value = textOf(failure)
      })
  }, [error, reason])
  if (error.value) return <Notice kind="bad">{error.value}</Notice>
  if (login.value === undefined) return <p class="loading">{t('shell.loading')}</p>
  if (login.value === null) return <LoginScreen hasEnded={wasIn.value} reason={reason.value} />
  wasIn.value = true
  return <Frame onLeave={() => (wasIn.value = false)} />
}

function Frame({ onLeave }: { onLeave(): void }) {
  const { IsSandbox, Version, ExpiresAt = '' } = login.value ?? {}
  const shown = screens.filter(
    ({ nav, isOfSandbox, needs }) => nav && (IsSandbox || !isOfSandbox) && (!needs || offers(needs)),
  )
  const side = useRef<HTMLElement>(null)
  const names = pages.value.length
  useEffect(() => {
    // On a phone the navigation is one line that scrolls.
    const here = side.current?.querySelector<HTMLElement>('[aria-current]')
    if (here && side.current) side.current.scrollLeft = here.offsetLeft - side.current.clientWidth / 3
  }, [path.value, names])
  useEffect(() => {
    if (offers('pages')) void readPages().catch(() => undefined)
    // A page without calls must notice the end too.
    const left = Math.min(MAX_TIMER_MS, Math.max(0, Date.parse(ExpiresAt) - Date.now()))
    const timer = setTimeout(() => void readLogin().catch(() => undefined), left)
    return () => clearTimeout(timer)
  }, [ExpiresAt])
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {t('shell.skip')}
      </a>
      <header class="bar">
        <a class="brand" href={to('/')}>
          wamux
        </a>
        {IsSandbox ? <span class="badge badge-warn">{t('shell.sandbox')}</span> : null}
        <span class="bar-space" />
        <FindButton />
        <Preferences />
        <Button
          onPress={async () => {
            onLeave()
            await logOut()
          }}
        >
          {t('shell.logOut')}
        </Button>
      </header>
      <nav class="side" ref={side} aria-label={t('shell.navigation')}>
        <ul>
          {shown.map(({ name, pattern, nav }) => (
            <li key={name}>
              <a href={to(pattern)} aria-current={isAt(pattern) ? 'page' : undefined}>
                {nav ? t(nav) : name}
              </a>
            </li>
          ))}
          {pages.value.map((page) => (
            <li key={page.Plugin}>
              <a href={to(pageOf(page))} aria-current={isAt(pageOf(page)) ? 'page' : undefined}>
                {page.Title}
              </a>
            </li>
          ))}
        </ul>
        <p class="version">wamux {Version}</p>
      </nav>
      <main id="content" class="content" tabIndex={-1}>
        <Screen />
      </main>
    </div>
  )
}

/** The fleet also stays selected for its sessions. */
function isAt(pattern: string): boolean {
  if (pattern === '/') return path.value === '/' || /^\/(sessions|link)(\/|$)/.test(path.value)
  return path.value === pattern || path.value.startsWith(`${pattern}/`)
}
