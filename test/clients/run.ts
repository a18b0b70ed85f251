import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, createClient, type Method, WamuxError } from '@wamux/client'
import { Webhook } from 'standardwebhooks'
import { type Operation, readInterface } from '../../plugins/docs/clients/operations.ts'

type Json = Record<string, unknown>

interface Step {
  readonly name: string
  readonly as?: 'admin' | 'stranger'
  readonly operation?: string
  readonly call?: readonly [Method, string]
  readonly iterate?: string
  readonly events?: { readonly after: number; readonly classes: readonly string[] }
  readonly take?: number
  readonly delivery?: string
  readonly params?: Readonly<Record<string, string>>
  readonly with?: Json
  readonly key?: string
  readonly until?: boolean
  readonly expect?: Json
  readonly fails?: Json
  readonly save?: Readonly<Record<string, string>>
}

export interface Target {
  readonly url: string
  readonly adminToken: string
  readonly receiver: string
}

const LIMIT_MS = 30_000

export function readScript(file: string): Step[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as { steps: Step[] }).steps
}

/** Runs the steps with the TypeScript client; yields the names of those that were as expected, and throws at the first other one. */
export async function* runScript(steps: readonly Step[], target: Target): AsyncGenerator<string> {
  const { url, adminToken, receiver } = target
  const { operations } = await readInterface()
  const values: Json = { receiver: `${receiver}/hook` }
  const named = { admin: createClient({ url, adminToken }), stranger: createClient({ url, token: 'nobody' }) }
  const clientOf = (as: Step['as']): Client =>
    as ? named[as] : createClient({ url, token: String(values['token']) })

  async function problem(step: Step): Promise<string | undefined> {
    try {
      const result = await resultOf(step)
      if (step.fails) return `no refusal: ${JSON.stringify(result)}`
      const found = problemIn(result, step.expect)
      if (!found) for (const [name, path] of Object.entries(step.save ?? {})) values[name] = at(result, path)
      return found
    } catch (error) {
      if (!(error instanceof WamuxError)) throw error
      const { code: status, errorCode: code, message } = error
      return step.fails ? problemIn({ status, code, message }, step.fails) : `${status} ${code}: ${message}`
    }
  }

  async function resultOf(step: Step): Promise<unknown> {
    const { with: given = {}, delivery, events, iterate, call, key, params } = step
    if (delivery) {
      const { headers, body } = (await (await fetch(`${receiver}/next`)).json()) as {
        headers: Record<string, string>
        body: string
      }
      return new Webhook(delivery).verify(body, headers)
    }
    const client = clientOf(step.as)
    if (events) return { items: await first(client, events, step.take ?? 1) }
    if (call) return client.call(call[0], call[1], given, params ? { params } : {})
    const operation = operations.find(({ id }) => id === (iterate ?? step.operation))
    if (!operation) throw new Error(`no operation ${iterate ?? step.operation}`)
    return iterate ? { items: await allPages(client, operation, given) } : one(client, operation, given, key)
  }

  for (const raw of steps) {
    const step = { ...(filled(raw, values) as Step), ...(raw.save ? { save: raw.save } : {}) }
    const end = Date.now() + LIMIT_MS
    let found = await problem(step)
    while (found && step.until && Date.now() < end) {
      await pause(100)
      found = await problem(step)
    }
    if (found) throw new Error(`${step.name}: ${found}`)
    yield step.name
  }
}

/** One call of an operation, whose fields go to where the document has them. */
function one(client: Client, { method, path, fields }: Operation, given: Json, key?: string): Promise<Json> {
  const isParam = (name: string): boolean =>
    fields.some((field) => field.name === name && field.place === 'path')
  const entries = Object.entries(given)
  const params = Object.fromEntries(
    entries.filter(([name]) => isParam(name)).map(([name, value]) => [name, String(value)]),
  )
  const input = Object.fromEntries(entries.filter(([name]) => !isParam(name)))
  const options = { params, ...(key ? { idempotencyKey: key } : {}) }
  return client.call(method as Method, path, input, options)
}

async function allPages(client: Client, operation: Operation, given: Json): Promise<unknown[]> {
  const { cursor = '', next = '', items = '' } = operation.paging ?? {}
  const found: unknown[] = []
  for (let input = given; ; ) {
    const page = await one(client, operation, input)
    found.push(...(page[items] as unknown[]))
    if (!page[next] || page[next] === input[cursor]) return found
    input = { ...input, [cursor]: page[next] }
  }
}

async function first(client: Client, events: NonNullable<Step['events']>, most: number): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const event of client.events(events)) if (found.push(event) === most) break
  return found
}

function filled(value: unknown, values: Json): unknown {
  if (typeof value === 'string') return value.startsWith('$') ? values[value.slice(1)] : value
  if (Array.isArray(value)) return value.map((part) => filled(part, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, filled(part, values)]))
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((found, part) => (found as Json | undefined)?.[part], value)
}

function problemIn(result: unknown, wanted: Json = {}): string | undefined {
  for (const [path, expected] of Object.entries(wanted)) {
    const value = at(result, path)
    if (!isAs(value, expected))
      return `${path}: ${JSON.stringify(value)} instead of ${JSON.stringify(expected)}`
  }
  return undefined
}

function isAs(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted
  const { matches, atLeast, length } = wanted as { matches?: string; atLeast?: number; length?: number }
  if (matches !== undefined) return new RegExp(matches).test(String(value))
  if (!Array.isArray(value)) return false
  return atLeast === undefined ? value.length === length : value.length >= atLeast
}
