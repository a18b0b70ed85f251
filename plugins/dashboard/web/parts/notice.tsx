import type { ComponentChildren } from 'preact'

export interface NoticeProps {
  kind: 'info' | 'good' | 'warn' | 'bad'
  children: ComponentChildren
}

/** A sentence about what happened. Screen readers read it when it appears. */
export function Notice({ kind, children }: NoticeProps) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  )
}
