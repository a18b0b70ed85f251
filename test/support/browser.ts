import { existsSync } from 'node:fs'
import { expect } from 'chai'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from 'playwright-core'
import { temporaryFolder } from './databases.ts'
import { isWhole } from './run/whole.ts'

const CHROMIUM = '/usr/bin/chromium'
/** Nothing leaves the machine. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
]

/** Runs in the browser: what the policy forbids becomes an error of the page. */
export const WATCH_POLICY = `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  throw new Error('against the policy: ' + violatedDirective + ' ' + blockedURI)
})`

/** Whether Chromium is installed; also true where every test must run, so that its absence fails. */
export function hasBrowser(): boolean {
  return existsSync(CHROMIUM) || isWhole
}

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ARGS })
}

/** A browser with a profile of its own, which extensions need. */
export function launchProfile({
  args = [],
  ...options
}: LaunchOptions & BrowserContextOptions = {}): Promise<BrowserContext> {
  return chromium.launchPersistentContext(temporaryFolder(), {
    ...options,
    executablePath: CHROMIUM,
    args: [...ARGS, '--headless=new', ...args],
  })
}

/** Fails where something is wider than the screen. */
export async function assertFits(page: Page, what: string): Promise<void> {
  const [width, view] = (await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )) as [number, number]
  expect(width, `${what}: width of the page`).to.be.at.most(view)
}
