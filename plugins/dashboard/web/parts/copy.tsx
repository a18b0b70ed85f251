import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { t } from '../text.ts'
import { Button } from './button.tsx'

/** A text with a button that copies it; selects it where that is not allowed, as on pages without TLS. */
export function Copy({ text, isBlock = false }: { text: string; isBlock?: boolean }) {
  const isCopied = useSignal(false)
  const code = useRef<HTMLElement>(null)
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      isCopied.value = true
      setTimeout(() => (isCopied.value = false), 2_000)
    } catch {
      if (code.current) getSelection()?.selectAllChildren(code.current)
    }
  }
  return (
    <span class={isBlock ? 'copy copy-block' : 'copy'}>
      <code ref={code}>{text}</code>
      <Button kind="quiet" onPress={copy}>
        {t(isCopied.value ? 'shell.copied' : 'shell.copy')}
      </Button>
    </span>
  )
}
