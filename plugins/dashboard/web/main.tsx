import './style/tokens.css'
import './style/base.css'
import './style/parts.css'
import { render } from 'preact'
import { App } from './shell/app.tsx'
import { applyTheme } from './shell/theme.ts'
import { loadTexts } from './text.ts'

applyTheme()
keepFocus()
await loadTexts()
const root = document.getElementById('app')
if (root) render(<App />, root)
/**
 * When the focused element is removed, for example the delete button of a row, the focus moves to the screen: otherwise the
 * next Tab would begin at the top of the document.
 */
function keepFocus(): void {
  let last: EventTarget | null = null
  document.addEventListener('focusin', ({ target }) => {
    last = target
  })
  new MutationObserver(() => {
    const isLost = last instanceof Element && !last.isConnected && document.activeElement === document.body
    if (!isLost) return
    last = null
    document.getElementById('content')?.focus({ preventScroll: true })
  }).observe(document.body, { childList: true, subtree: true })
}
