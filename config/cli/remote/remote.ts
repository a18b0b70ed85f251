import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Client, createClient, WamuxError } from '../../../plugins/docs/clients/typescript/index.ts'
import type { Environment } from '../../environment.ts'
import { commandFailed, reasonOf } from '../../errors.ts'
import { readConfig } from '../../load.ts'
import { gatewayAddress } from '../address.ts'

/** The options of a command that calls a running gateway for one session. */
export interface SessionOptions {
  url?: string
  token?: string
  session?: string
}

/** The options with which a command finds the gateway, the session and the credential. */
export const URL_OPTION = ['--url <url>', 'address of the gateway; by default the configured one'] as const
export const TOKEN_OPTION = [
  '--token <token>',
  'session token or key; by default the admin token finds the session',
] as const
const SESSION_OPTION = ['--session <session>', 'id or name of the session; by default the only one'] as const

/** Adds the three. */
export function withSessionOptions(command: Command): Command {
  return command
    .option(...SESSION_OPTION)
    .option(...TOKEN_OPTION)
    .option(...URL_OPTION)
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
export async function remoteOf(env: Environment, given?: string): Promise<Remote> {
  const { config } = readConfig(env)
  const url = given ?? gatewayAddress(config)
  const tokens = config.adminToken ? [config.adminToken] : storedTokens(config.dataDir)
  if (tokens.length === 0)
    throw commandFailed(
      `no admin token is configured, and none is stored in ${config.dataDir}: run the command in the folder of the gateway, or give --token or WAMUX_ADMIN_TOKEN`,
    )
  const clients = tokens.map((adminToken) => createClient({ url, adminToken, retries: 0 }))
  for (const client of clients.slice(0, -1)) if (await isKnown(url, client)) return { url, client }
  return { url, client: clients.at(-1) as Client }
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

/** The session of the token, or the one that the admin token finds. Rejects COMMAND_FAILED. */
export async function remoteSessionOf(env: Environment, options: SessionOptions): Promise<RemoteSession> {
  const { token, session } = options
  if (!token) return sessionAt(await remoteOf(env, options.url), session)
  const url = options.url ?? gatewayAddress(readConfig(env).config)
  const headers = session ? { 'x-session': session } : {}
  const client = createClient({ url, token, headers, retries: 0 })
  // Unlike its status, it needs no link.
  const { Sessions } = await called(url, () => client.get('/session/summary'))
  const found = session ? Sessions.find(({ Id, Name }) => Id === session || Name === session) : Sessions[0]
  return { url, client, name: found?.Name || (found?.Id ?? ''), phone: phoneOf(found?.JID ?? '') }
}

/** The session with that name or id, or the only one. Rejects COMMAND_FAILED. */
export async function sessionAt(admin: Remote, session: string | undefined): Promise<RemoteSession> {
  const { url } = admin
  const all = await called(url, () => admin.client.get('/session/all'))
  const fitting = session ? all.filter(({ Id, Name }) => Id === session || Name === session) : all
  const [found] = session || fitting.length === 1 ? fitting : []
  if (!found) {
    const names = all.map(({ Name, Id }) => Name || Id).join(', ') || 'none'
    const fault = session ? `there is no session "${session}"` : 'name one of the sessions with --session'
    throw commandFailed(`${fault}; there are: ${names}`)
  }
  const client = createClient({ url, token: found.Token, retries: 0 })
  return { url, client, name: found.Name || found.Id, phone: phoneOf(found.JID) }
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
    throw commandFailed(said, error)
  }
}

/** `fetch` says no more than that it failed. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause ? error.cause : error
}

function phoneOf(jid: string): string {
  return /^\d+/.exec(jid)?.[0] ?? ''
}
