import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gatewayError, reasonOf } from '../../../kernel/errors.ts'
import { type Client, createClient, WamuxError } from '../../client/index.ts'
import type { Environment } from '../../environment.ts'
import { readConfig } from '../../load.ts'

/** The options of a command that calls a running gateway for one session. */
export interface SessionOptions {
  url?: string
  token?: string
  session?: string
}

/** A running gateway, as a command calls it. */
export interface Remote {
  readonly url: string
  readonly client: Client
}

/** A session of a running gateway, called with a token of it. */
export interface RemoteSession extends Remote {
  readonly name: string
  /** The session's own number; '' while it is not linked. */
  readonly phone: string
}

/**
 * A gateway, called with the admin token of this folder: the configured one, or the one that the gateway or its sandbox has
 * stored. Rejects COMMAND_FAILED.
 */
export async function remoteOf(env: Environment, url?: string): Promise<Remote> {
  const { config } = readConfig(env)
  const address = addressOf(env, url)
  const tokens = config.adminToken ? [config.adminToken] : storedTokens(config.dataDir)
  if (tokens.length === 0)
    throw gatewayError('COMMAND_FAILED', [
      `no admin token is configured, and none is stored in ${config.dataDir}: run it in the folder of the gateway, or set WAMUX_ADMIN_TOKEN or --token`,
    ])
  const clients = tokens.map((adminToken) => createClient({ url: address, adminToken, retries: 0 }))
  for (const client of clients.slice(0, -1))
    if (await isKnown(address, client)) return { url: address, client }
  return { url: address, client: clients.at(-1) as Client }
}

function addressOf(env: Environment, url: string | undefined): string {
  const { config } = readConfig(env)
  return url ?? `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${config.port}`
}

/** Unlike at a start, none is created. */
function storedTokens(dataDir: string): string[] {
  return [dataDir, join(dataDir, 'sandbox')]
    .map((folder) => join(folder, 'admin-token'))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8').trim())
}

async function isKnown(url: string, client: Client): Promise<boolean> {
  try {
    await client.get('/session/all')
    return true
  } catch (error) {
    if (error instanceof WamuxError && error.code === 401) return false
    return called(url, () => Promise.reject(error))
  }
}

/**
 * The session of the token, or the one with that name or id, which the admin token finds. Rejects COMMAND_FAILED.
 */
export async function remoteSessionOf(
  env: Environment,
  { url, token, session }: SessionOptions,
): Promise<RemoteSession> {
  if (token) {
    const headers = session ? { 'x-session': session } : {}
    const address = addressOf(env, url)
    const client = createClient({ url: address, token, headers, retries: 0 })
    const { Name, Jid } = await called(address, () => client.get('/session/status'))
    return { url: address, client, name: Name, phone: phoneOf(Jid) }
  }
  const admin = await remoteOf(env, url)
  const all = await called(admin.url, () => admin.client.get('/session/all'))
  const found = session
    ? all.find(({ Id, Name }) => Id === session || Name === session)
    : all.length === 1
      ? all[0]
      : undefined
  if (!found) {
    const names = all.map(({ Name, Id }) => Name || Id).join(', ') || 'none'
    const fault = session ? `there is no session "${session}"` : 'name one of the sessions with --session'
    throw gatewayError('COMMAND_FAILED', [`${fault}; there are: ${names}`])
  }
  const client = createClient({ url: admin.url, token: found.Token, retries: 0 })
  return { url: admin.url, client, name: found.Name || found.Id, phone: phoneOf(found.JID) }
}

/** A call whose refusal ends the command with its words. Rejects COMMAND_FAILED. */
export async function called<T>(url: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof WamuxError)) throw error
    const { code, errorCode, message, cause } = error
    const said =
      code === 0
        ? `no gateway answers at ${url}: ${reasonOf(rootOf(cause ?? error))}`
        : `${url} answered ${code} ${errorCode}: ${message}`
    throw gatewayError('COMMAND_FAILED', [said], { cause: error })
  }
}

/** `fetch` says no more than that it failed. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause ? error.cause : error
}

function phoneOf(jid: string): string {
  return /^\d+/.exec(jid)?.[0] ?? ''
}
