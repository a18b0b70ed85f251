import { useSignal } from '@preact/signals'
import { Component, type ComponentChildren, type ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { offers, textOf } from '../api.ts'
import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'
import { match } from '../screens/index.ts'
import type { ScreenProps } from '../screens/screen-props.ts'
import { t } from '../text.ts'
import { loadPart } from './load-part.ts'
import { path, to } from './navigate.ts'

interface Loaded {
  readonly name: string
  readonly View: ComponentType<ScreenProps>
}

/** The screen for the current address; its code is loaded when first shown. */
export function Screen() {
  const loaded = useSignal<Loaded | undefined>(undefined)
  const error = useSignal('')
  const isWaiting = useSignal(false)
  const turn = useSignal(0)
  const isFirst = useRef(true)
  const matched = match(path.value)
  const found = matched?.screen.needs && !offers(matched.screen.needs) ? undefined : matched
  const name = found?.screen.name ?? ''

  useEffect(() => {
    if (!found) return
    const leaving = new AbortController()
    const { signal } = leaving
    error.value = ''
    isWaiting.value = false
    const onWait = (): void => {
      if (!signal.aborted) isWaiting.value = true
    }
    loadPart(found.screen.load, { onWait, signal }).then(
      ({ default: View }) => {
        if (!signal.aborted) loaded.value = { name, View }
      },
      (failure: unknown) => {
        if (!signal.aborted) error.value = textOf(failure)
      },
    )
    return () => leaving.abort()
  }, [name, turn.value])

  // Screen reader and keyboard begin at the new screen.
  useEffect(() => {
    if (!isFirst.current) document.getElementById('content')?.focus({ preventScroll: true })
    isFirst.current = false
  }, [path.value])

  if (!found)
    return (
      <Notice kind="bad">
        {t('shell.noScreen')} <a href={to('/')}>{t('fleet.title')}</a>
      </Notice>
    )
  if (error.value)
    return (
      <Notice kind="bad">
        {error.value} <Button onPress={() => (turn.value += 1)}>{t('shell.retry')}</Button>
      </Notice>
    )
  if (loaded.value?.name !== name)
    return (
      <p class="loading" role="status">
        {t(isWaiting.value ? 'shell.liveWaiting' : 'shell.loading')}
      </p>
    )
  const { View } = loaded.value
  return (
    <Boundary key={path.value}>
      <View params={found.params} />
    </Boundary>
  )
}

/** An error of one screen must not end the others. */
class Boundary extends Component<{ children: ComponentChildren }, { error?: unknown }> {
  static override getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error }
  }

  override render({ children }: { children: ComponentChildren }, { error }: { error?: unknown }) {
    return error ? <Notice kind="bad">{textOf(error)}</Notice> : children
  }
}
