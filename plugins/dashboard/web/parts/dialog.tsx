import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { t } from '../text.ts'
import { Button } from './button.tsx'

export interface DialogProps {
  title: string
  isOpen: boolean
  /** Also by Escape. */
  onClose(): void
  children: ComponentChildren
  /** Buttons at its end, before the one that closes it. */
  actions?: ComponentChildren
}

/** A modal dialog; the browser keeps the focus in it and gives it back. */
export function Dialog({ title, isOpen, onClose, children, actions }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const { current } = dialog
    if (isOpen && !current?.open) current?.showModal()
    if (!isOpen && current?.open) current.close()
  }, [isOpen])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      {isOpen ? (
        <div class="stack">
          <h2 id={id}>{title}</h2>
          {children}
          <div class="actions">
            {actions}
            <Button onPress={onClose}>{t(actions ? 'shell.cancel' : 'shell.close')}</Button>
          </div>
        </div>
      ) : null}
    </dialog>
  )
}
