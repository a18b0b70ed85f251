import type { ComponentChildren } from 'preact'

export interface RowProps {
  title: string
  action: ComponentChildren
  children: ComponentChildren
}

/** A value of a session with the button that changes it. */
export function Row({ title, action, children }: RowProps) {
  return (
    <div class="manage-row">
      <dt>{title}</dt>
      <dd>{children}</dd>
      <dd class="actions">{action}</dd>
    </div>
  )
}
