import type { ComponentChildren } from 'preact'

/** In place of a list without entries: says what to do next. */
export function Empty({ children, action }: { children: ComponentChildren; action?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{children}</p>
      {action}
    </div>
  )
}
