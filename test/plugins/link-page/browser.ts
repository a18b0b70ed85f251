import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import jsQR from 'jsqr'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { assertFits, launchBrowser, WATCH_POLICY } from '../../support/browser.ts'
import { eventually } from '../../support/eventually.ts'

/** Pictures of the page in all its states, to be looked at. */
export const PICTURES = join(tmpdir(), 'wamux-link-page')

export function openBrowser(): Promise<Browser> {
  mkdirSync(PICTURES, { recursive: true })
  return launchBrowser()
}

/** Somebody with a browser of their own. */
export interface Customer {
  readonly context: BrowserContext
  readonly page: Page
  /** Everything that the gateway answered: addresses, headers, bodies. */
  readonly answers: string[]
  /** Requests to other hosts, violations of the policy, errors in the console. */
  readonly complaints: string[]
  close(): Promise<void>
}

export async function openCustomer(browser: Browser, options: BrowserContextOptions = {}): Promise<Customer> {
  return customerOf(await browser.newContext({ locale: 'en-GB', ...options }))
}

export async function customerOf(context: BrowserContext): Promise<Customer> {
  const complaints: string[] = []
  const answers: string[] = []
  const page = await context.newPage()
  await page.addInitScript({ content: WATCH_POLICY })
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url())
    if (protocol !== 'data:' && hostname !== '127.0.0.1') complaints.push(`request to ${request.url()}`)
  })
  page.on('response', async (response) => {
    const headers = await response.allHeaders().catch(() => ({}))
    answers.push(`${response.url()} ${response.status()} ${JSON.stringify(headers)}`)
    if (!response.url().endsWith('/stream')) answers.push(await response.text().catch(() => ''))
  })
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return { context, page, answers, complaints, close: () => context.close() }
}

/** Opens a link and presses its button. */
export async function begin({ page }: Customer, url: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('button', { name: /Start|Começar|Empezar|Beginnen|Mulai/ }).click()
  await page.locator('#app').waitFor()
}

/** The text of the QR code on the screen, as a camera reads it; undefined when there is none. */
export async function qrOn(page: Page): Promise<string | undefined> {
  const image = PNG.sync.read(await page.locator('.qr').screenshot())
  return jsQR.default(new Uint8ClampedArray(image.data), image.width, image.height)?.data
}

/** A picture of the screen as a data URL: what the camera of a phone sees. */
export async function photograph(page: Page): Promise<string> {
  return `data:image/png;base64,${(await page.screenshot()).toString('base64')}`
}

/** The text of a QR picture (PNG data URL). */
export function readQr(picture: string): string | undefined {
  const image = PNG.sync.read(Buffer.from(picture.slice(picture.indexOf(',') + 1), 'base64'))
  return jsQR.default(new Uint8ClampedArray(image.data), image.width, image.height)?.data
}

export async function shown(page: Page, selector: string): Promise<void> {
  await page.locator(selector).waitFor({ state: 'visible' })
}

export function says(page: Page, text: string | RegExp): Promise<unknown> {
  const status = page.locator('#status')
  const fits = (words: string): boolean => (typeof text === 'string' ? words === text : text.test(words))
  return eventually(async () => fits((await status.textContent()) ?? ''), `saying ${text}`, {
    progress: () => status.textContent().catch(() => ''),
  }).catch(async (error: Error) => {
    throw new Error(`${error.message}; it says "${await status.textContent()}"`)
  })
}

/** Stores pictures of the page in light and dark, and checks that nothing is wider than the screen. */
export async function picture(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}.png`), fullPage: true })
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await assertFits(page, name)
}
