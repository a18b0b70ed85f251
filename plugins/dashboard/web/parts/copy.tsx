import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { t } from '../text.ts'
import { Button } from './button.tsx'
import { copyText } from './copy-text.ts'

/** A text with a button that copies it. */
export function Copy({ text, isBlock = false }: { text: string; isBlock?: boolean }) {
  const isCopied = useSignal(false)
  const code = useRef<HTMLElement>(null)
  async function copy(): Promise<void> {
    if (!(await copyText(text, code.current))) return
    isCopied.value = true
    setTimeout(() => (isCopied.value = false), 2_000)
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
