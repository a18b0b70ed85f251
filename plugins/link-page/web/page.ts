import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { copyText } from '../../dashboard/web/parts/copy-text.ts'
import { t } from './text.ts'

/** The sentence at the top, which screen readers announce when it changes. */
export const status = signal('')

/** Id of the element to focus once it is rendered; '' for none. */
export const focusNext = signal('')

/** Moves the focus to an element on request; use it in the component that shows or hides the element. */
export function useFocusNext(id: string): void {
  const isNext = focusNext.value === id
  useLayoutEffect(() => {
    if (!isNext) return
    document.getElementById(id)?.focus()
    focusNext.value = ''
  }, [id, isNext])
}

export function say(text: string): void {
  status.value = text
}

/** Calls a route of this link; resolves with the status, 0 without an answer, and the data. */
export async function post<T>(path: string, body: object = {}): Promise<{ status: number; data?: T }> {
  try {
    const response = await fetch(`${location.pathname}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { data } = (await response.json()) as { data: T }
    return { status: response.status, data }
  } catch {
    return { status: 0 }
  }
}

/** Whether the link is over; the reloaded page shows how it ended. */
export function reloadIfOver(code: number): boolean {
  const isOver = code === 404 || code === 410
  if (isOver) location.reload()
  return isOver
}

/** Copies a text; resolves with whether that worked. */
export async function copy(text: string, shownIn: string): Promise<void> {
  say(t((await copyText(text, document.getElementById(shownIn))) ? 'copied' : 'copyFailed'))
}
