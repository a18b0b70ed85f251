import type { ComponentChildren } from 'preact'
import { Copy } from '../parts/copy.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Notice } from '../parts/notice.tsx'
import { t } from '../text.ts'

export interface ShownOnceProps {
  title: string
  /** Shown until the dialog is closed; '' for none. */
  secret: string
  onClose(): void
  /** More about it, for example until when the old one is valid. */
  children?: ComponentChildren
}

/** A new token or key, which the gateway never shows again. */
export function ShownOnce({ title, secret, onClose, children }: ShownOnceProps) {
  return (
    <Dialog title={title} isOpen={secret !== ''} onClose={onClose}>
      <Notice kind="warn">{t('keys.onlyOnce')}</Notice>
      <Copy text={secret} isBlock />
      {children}
    </Dialog>
  )
}
