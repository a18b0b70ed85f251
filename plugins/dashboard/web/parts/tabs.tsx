import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'

export interface Tab {
  readonly name: string
  readonly title: ComponentChildren
}

export interface TabsProps {
  /** Prefix of the tabs' ids. */
  id?: string
  label: string
  tabs: readonly Tab[]
  selected: string
  onSelect(name: string): void
  /** Whether the panel takes the focus, since nothing in it does. */
  isPanelStop?: boolean
  /** The panel of the selected tab. */
  children: ComponentChildren
}

/** Follows the ARIA tabs pattern: arrows, Home and End move between them. */
export function Tabs(props: TabsProps) {
  const { label, tabs, selected, onSelect, isPanelStop = false, children } = props
  const made = useId()
  const id = props.id ?? made
  const list = useRef<HTMLDivElement>(null)

  function onKeyDown(event: KeyboardEvent): void {
    const at = tabs.findIndex(({ name }) => name === selected)
    const moves: Record<string, number> = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      Home: 0,
      End: tabs.length - 1,
    }
    const move = moves[event.key]
    const next = move === undefined ? undefined : tabs[(move + tabs.length) % tabs.length]
    if (!next) return
    event.preventDefault()
    onSelect(next.name)
    list.current?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.name)}"]`)?.focus()
  }

  return (
    <div class="tabs">
      <div ref={list} role="tablist" aria-label={label} class="tablist">
        {tabs.map(({ name, title }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            data-tab={name}
            aria-selected={name === selected}
            aria-controls={`${id}-panel`}
            tabIndex={name === selected ? 0 : -1}
            onClick={() => onSelect(name)}
            onKeyDown={onKeyDown}
          >
            {title}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${selected}`}
        tabIndex={isPanelStop ? 0 : undefined}
        class="tabpanel"
      >
        {children}
      </div>
    </div>
  )
}
