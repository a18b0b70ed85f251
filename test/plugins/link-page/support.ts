import { definePlugin, type Plugin, type PluginDb } from '../../../kernel/plugin.ts'
import { admin, type World } from '../../support/world.ts'

export interface Made {
  /** The session's token. */
  readonly token: string
  /** Its id. */
  readonly id: string
  readonly url: string
}

/** A new session with a link. */
export async function makeLink(world: World, body: object = {}, fields: object = {}): Promise<Made> {
  const { data: session } = await world.gateway.post('/session/init', fields, admin)
  const token = String(session.Token)
  const { data, error } = await world.gateway.post('/session/link-page', body, { token })
  if (error) throw new Error(error)
  return { token, id: String(session.Id), url: String(data.Url) }
}

export interface Clock {
  readonly plugin: Plugin
  /** Lets the links of a session expire now, or `ms` from now. */
  expire(session: string, ms?: number): Promise<void>
  /** Everything that is stored of links. */
  rows(): Promise<Record<string, unknown>[]>
}

/** Moves the end of links: the shortest that the interface allows is a minute. */
export function createClock(): Clock {
  let db: PluginDb | undefined
  const table = 'link_page_links'
  const open = (): PluginDb => {
    if (!db) throw new Error('the gateway has not started')
    return db
  }
  return {
    plugin: definePlugin({
      name: 'clock',
      version: '1.0.0',
      api: '^1.0.0',
      setup: async (deps) => {
        db = deps.db
      },
    }),
    async expire(session, ms = 0) {
      const expires_at = Date.now() + ms
      await open().transact((trx) => trx(table).where({ session }).update({ expires_at }))
    },
    rows: async () => open().read(table),
  }
}

/** A browser without a screen: keeps its cookie, follows no redirect. */
export function createVisitor(url: string) {
  let cookie = ''
  return {
    async call(method: string, path = '', body?: object, headers: Record<string, string> = {}) {
      const response = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(cookie ? { cookie } : {}),
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const [given] = response.headers.getSetCookie()
      if (given) cookie = given.split(';')[0] ?? ''
      return { status: response.status, headers: response.headers, text: await response.text(), given }
    },
    /** The first states of the stream, until `isLast`. */
    async states(isLast: (state: Record<string, unknown>) => boolean): Promise<Record<string, unknown>[]> {
      const response = await fetch(`${url}/stream`, { headers: { cookie } })
      const states: Record<string, unknown>[] = []
      let text = ''
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString()
        const parts = text.split('\n\n')
        text = parts.pop() ?? ''
        for (const part of parts) {
          const [, json] = /^data: (\{.*\})$/s.exec(part) ?? []
          if (json) states.push(JSON.parse(json))
        }
        const last = states.at(-1)
        if (last && isLast(last)) break
      }
      return states
    },
  }
}
