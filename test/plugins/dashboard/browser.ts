import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { buildPages } from '../../../config/cli/pages.ts'
import { assertFits, launchBrowser, WATCH_POLICY } from '../../support/browser.ts'
import { admin } from '../../support/sessions.ts'

/** Pictures of the screens, to be looked at. */
export const PICTURES = join(tmpdir(), 'wamux-dashboard')
mkdirSync(PICTURES, { recursive: true })

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const WIDE = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

let shared: Promise<Browser> | undefined

/** Builds the pages if their source has changed, and starts Chromium: once for all files of this process, whose end ends it. */
export function openBrowser(): Promise<Browser> {
  shared ??= buildPages(resolve('.')).then(launchBrowser)
  return shared
}

/** Somebody at the dashboard. */
export interface Operator {
  readonly context: BrowserContext
  readonly page: Page
  /** Of the gateway. */
  readonly url: string
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
    viewport: WIDE,
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
    // A session that is linked just before the page reads its code has none any more.
    const isLinked = message.location().url.endsWith('/session/qr') && /409/.test(message.text())
    if (message.type() === 'error' && !isQuestion && !isLinked)
      complaints.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return {
    ...{ context, page, url, answers, complaints },
    open: async (place) => {
      await page.goto(`${url}/dashboard${place === '/' ? '' : place}`)
    },
    close: () => context.close(),
  }
}

/** Has a login, as that of the administrator unless another token is given, and goes to a place. */
export async function enter(operator: Operator, place = '/', token = admin.admintoken): Promise<void> {
  const { context, page, open, url } = operator
  const headers = { 'X-Wamux-Dashboard': '1', Authorization: `Bearer ${token}` }
  const answer = await context.request.post(`${url}/dashboard/login`, { headers })
  expect(answer.status()).to.equal(200)
  await open(place)
  await page.locator('.frame').waitFor()
}

/** Logs in by keyboard alone. */
export async function logIn({ page, open }: Operator, place = '/'): Promise<void> {
  const token = admin.admintoken
  await open(place)
  await page.getByLabel('Admin token or key').focus()
  await page.keyboard.type(token)
  await page.keyboard.press('Enter')
  await page.locator('.frame').waitFor()
}

/** Chooses a session by its name, as one types it. */
export async function chooseSession(page: Page, name: string): Promise<void> {
  const box = page.getByRole('combobox', { name: 'Session' })
  await box.fill(name)
  await page.getByRole('option', { name }).first().waitFor()
  await box.press('Enter')
}

/** What axe finds that is serious or critical, by all its rules or those given; empty is good. */
export async function seriousIn(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(SOURCE)
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) }
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[]
  }
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}

/**
 * Stores pictures in light and dark, and as on a phone. Checks with axe, in dark only the colours, which are all that differs;
 * and that nothing is wider than the screen.
 */
export async function picture(page: Page, name: string): Promise<void> {
  const size = page.viewportSize()
  const shoot = (kind: string) =>
    page.screenshot({ path: join(PICTURES, `${name}-${kind}.jpg`), quality: 80, type: 'jpeg' })
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await shoot('light')
  expect(await seriousIn(page), `${name}, light`).to.deep.equal([])
  await assertFits(page, `${name} at ${size?.width}`)
  await page.setViewportSize(PHONE)
  await shoot('phone')
  await assertFits(page, `${name} at ${PHONE.width}`)
  if (size) await page.setViewportSize(size)
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await shoot('dark')
  expect(await seriousIn(page, ['color-contrast']), `${name}, dark`).to.deep.equal([])
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}
