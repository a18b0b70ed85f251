import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

export interface PageProps {
  title: string
  /** One sentence under the title. */
  lead?: ComponentChildren
  /** Buttons next to the title. */
  actions?: ComponentChildren
  children: ComponentChildren
}

/** The head of each screen. */
export function Page({ title, lead, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · wamux`
  }, [title])
  return (
    <>
      <div class="page-head">
        <div>
          <h1>{title}</h1>
          {lead ? <p class="lead">{lead}</p> : null}
        </div>
        {actions ? <div class="actions">{actions}</div> : null}
      </div>
      {children}
    </>
  )
}
