import { computed, signal } from '@preact/signals'

/** Path of the dashboard on this server, with a trailing slash: `/dashboard/`. */
const BASE = new URL(document.baseURI).pathname

const place = signal(read())

/** The place in the dashboard without the base: `/sessions/4f2a`. */
export const path = computed(() => place.value.path)
export const query = computed(() => new URLSearchParams(place.value.search))

/** The address of a place, for `href`. */
export function to(where: string): string {
  return `${BASE.replace(/\/$/, '')}${where === '/' ? '' : where}`
}

/** Goes there without reloading the document. */
export function go(where: string, { isReplacing = false } = {}): void {
  history[isReplacing ? 'replaceState' : 'pushState'](null, '', to(where))
  place.value = read()
}

/** Changes parameters of the address; empty ones are left out. */
export function setQuery(values: Readonly<Record<string, string>>): void {
  const changed = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(values))
    if (value) changed.set(name, value)
    else changed.delete(name)
  const search = changed.toString()
  go(`${path.value}${search ? `?${search}` : ''}`, { isReplacing: true })
}

/** Links to places of the dashboard are followed without loading. */
export function startNavigation(): void {
  window.addEventListener('popstate', () => {
    place.value = read()
  })
  document.addEventListener('click', (event) => {
    const { button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented, target } = event
    if (defaultPrevented || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return
    const link = target instanceof Element ? target.closest('a') : null
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return
    if (!`${link.pathname}/`.startsWith(BASE) || link.hash) return
    event.preventDefault()
    history.pushState(null, '', link.href)
    place.value = read()
    window.scrollTo(0, 0)
  })
}

function read(): { path: string; search: string } {
  const inside = location.pathname.startsWith(BASE) ? location.pathname.slice(BASE.length) : ''
  return { path: `/${inside.replace(/(?<!\/)\/+$/, '')}`, search: location.search }
}
