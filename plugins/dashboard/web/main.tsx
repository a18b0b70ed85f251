import './style/tokens.css'
import './style/base.css'
import './style/parts.css'
import { render } from 'preact'
import { App } from './shell/app.tsx'
import { keepFocus } from './shell/keep-focus.ts'
import { applyTheme } from './shell/theme.ts'
import { loadTexts } from './text.ts'

applyTheme()
keepFocus()
await loadTexts()
const root = document.getElementById('app')
if (root) render(<App />, root)
