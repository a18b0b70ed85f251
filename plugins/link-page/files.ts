import { readFile } from 'node:fs/promises'
import { gatewayError, type Reply, reply } from 'wamux/plugin'

/** The files that the pages load. */
export interface Files {
  /** Rejects ROUTE_UNKNOWN for an unknown file. */
  get(name: string): Promise<Reply>
}

const SCRIPT = 'text/javascript; charset=utf-8'
const TYPES: Readonly<Record<string, string>> = {
  'link-page.css': 'text/css; charset=utf-8',
  'link-page.js': SCRIPT,
  'pairing-code.js': SCRIPT,
  'passkey.js': SCRIPT,
  'extension.js': SCRIPT,
  'page.js': SCRIPT,
}

/** Reads each file once: they need no token, and all clients share one copy. */
export function createFiles(): Files {
  const read = new Map<string, Promise<Reply>>()
  return {
    async get(name) {
      const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined
      if (!type) throw gatewayError('ROUTE_UNKNOWN')
      const file = read.get(name) ?? load(name, type)
      read.set(name, file)
      return file
    },
  }
}

async function load(name: string, type: string): Promise<Reply> {
  const body = await readFile(new URL(`page/${name}`, import.meta.url))
  return reply(body, { 'Content-Type': type })
}
