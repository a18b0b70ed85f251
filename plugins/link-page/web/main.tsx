import '../../dashboard/web/style/tokens.css'
import './link-page.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { start } from './linking.ts'

const app = document.getElementById('app')
if (app) {
  start()
  render(<App />, app)
}
