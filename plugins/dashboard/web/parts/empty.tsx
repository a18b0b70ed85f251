import type { ComponentChildren } from 'preact'

/** Shown instead of an empty list, with the next step. */
export function Empty({ children, action }: { children: ComponentChildren; action?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{children}</p>
      {action}
    </div>
  )
}
