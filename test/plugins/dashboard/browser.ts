import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { ensureWeb } from '../../../config/web.ts'
import { assertFits, launchBrowser, WATCH_POLICY } from '../../support/browser.ts'
import { admin } from '../../support/sessions.ts'

/** Pictures of the screens, to be looked at. */
export const PICTURES = join(tmpdir(), 'wamux-dashboard')

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Builds the pages if their source has changed, and starts Chromium. */
export async function openBrowser(): Promise<Browser> {
  mkdirSync(PICTURES, { recursive: true })
  await ensureWeb(resolve('.'), 'build/dashboard')
  return launchBrowser()
}

/** Somebody at the dashboard. */
export interface Operator {
  readonly context: BrowserContext
  readonly page: Page
  /** Everything that the gateway answered, but streams: addresses, headers, bodies. */
  readonly answers: string[]
  /** Requests to other hosts, violations of the policy, errors in the console. */
  readonly complaints: string[]
  /** Goes to a place of the dashboard, such as `/sessions/4f2a`, by loading the document. */
  open(place: string): Promise<void>
  close(): Promise<void>
}

export async function openOperator(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Operator> {
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 1280, height: 800 },
    ...options,
  })
  const page = await context.newPage()
  const complaints: string[] = []
  const answers: string[] = []
  await page.addInitScript({ content: WATCH_POLICY })
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url())
    if (!/^(data|blob):$/.test(protocol) && hostname !== '127.0.0.1')
      complaints.push(`request to ${request.url()}`)
  })
  page.on('response', async (response) => {
    const headers = await response.allHeaders().catch(() => ({}) as Record<string, string>)
    answers.push(`${response.url()} ${response.status()} ${JSON.stringify(headers)}`)
    if (!headers['content-type']?.startsWith('text/event-stream'))
      answers.push(await response.text().catch(() => ''))
  })
  page.on('console', (message) => {
    // The first question of each visit, whether there is a login, is answered with 401 when there is none.
    const isQuestion = message.location().url.endsWith('/dashboard/login') && /401/.test(message.text())
    if (message.type() === 'error' && !isQuestion)
      complaints.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return {
    ...{ context, page, answers, complaints },
    open: async (place) => {
      await page.goto(`${url}/dashboard${place === '/' ? '' : place}`)
    },
    close: () => context.close(),
  }
}

/** Logs in by keyboard alone; the token is that of the administrator unless another is given. */
export async function logIn({ page, open }: Operator, token = admin.admintoken, place = '/'): Promise<void> {
  await open(place)
  await page.getByLabel('Admin token or key').focus()
  await page.keyboard.type(token)
  await page.keyboard.press('Enter')
  await page.locator('.frame').waitFor()
}

/** What axe finds that is serious or critical; empty is good. */
export async function seriousIn(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(AXE, 'utf8'))
  const found = (await page.evaluate('axe.run(document)')) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[]
  }
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}

/** Stores pictures in light and dark, wide and as on a phone; checks both with axe, and that nothing is wider than the screen. */
export async function picture(page: Page, name: string): Promise<void> {
  const size = page.viewportSize()
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 800 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.screenshot({ path: join(PICTURES, `${name}-${width}-${colorScheme}.png`), fullPage: true })
      if (width === 1280) expect(await seriousIn(page), `${name}, ${colorScheme}`).to.deep.equal([])
    }
    await assertFits(page, `${name} at ${width}`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  if (size) await page.setViewportSize(size)
}
