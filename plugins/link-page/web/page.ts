import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { copyText } from '../../dashboard/web/parts/copy-text.ts'
import { t } from './text.ts'

/** The sentence above everything else, which screen readers read when it changes. */
export const status = signal('')

/** Id of the element that the focus moves to when it has been drawn; '' for none. */
export const focusNext = signal('')

/** Moves the focus to an element when it is asked for; in the component that shows or hides the element. */
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

/** Whether the link is over: the page that is loaded instead says how it ended. */
export function reloadIfOver(code: number): boolean {
  const isOver = code === 404 || code === 410
  if (isOver) location.reload()
  return isOver
}

/** Copies, and says whether it could. */
export async function copy(text: string, shownIn: string): Promise<void> {
  say(t((await copyText(text, document.getElementById(shownIn))) ? 'copied' : 'copyFailed'))
}
