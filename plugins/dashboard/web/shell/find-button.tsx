import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { Button } from '../parts/button.tsx'
import { t } from '../text.ts'
import { loadPart } from './load-part.ts'

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform)

/** Above what the first screen takes to load. */
const PRELOAD_MS = 2_000
const load = () => import('./palette.tsx')

/**
 * Opens the palette, as Ctrl-K and ⌘K do from anywhere. Its code is loaded once the first screen is shown: what is typed while it
 * loads would be lost.
 */
export function FindButton() {
  const palette = useSignal<{ View: ComponentType<{ onClose(): void }> } | undefined>(undefined)
  const isOpen = useSignal(false)

  async function open(): Promise<void> {
    if (document.querySelector('dialog[open]')) return
    const { default: View } = await loadPart(load)
    palette.value = { View }
    isOpen.value = true
  }
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event
      if (key.toLowerCase() !== 'k' || !(IS_MAC ? metaKey : ctrlKey) || altKey || shiftKey) return
      event.preventDefault()
      void open()
    }
    document.addEventListener('keydown', onKeyDown)
    const timer = setTimeout(() => void load().catch(() => undefined), PRELOAD_MS)
    return () => {
      document.removeEventListener('keydown', onKeyDown)
      clearTimeout(timer)
    }
  }, [])

  const { View } = palette.value ?? {}
  return (
    <>
      <Button onPress={open}>
        {t('palette.open')} <kbd class="muted">{IS_MAC ? '⌘K' : 'Ctrl K'}</kbd>
      </Button>
      {View && isOpen.value ? <View onClose={() => (isOpen.value = false)} /> : null}
    </>
  )
}
