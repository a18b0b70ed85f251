import { randomBytes } from 'node:crypto'
import { type Command, InvalidArgumentError } from 'commander'
import { reasonOf } from '../../../kernel/errors.ts'
import type { GatewayEvent } from '../../../plugins/docs/clients/typescript/index.ts'
import type { Environment } from '../../environment.ts'
import { print } from '../print.ts'
import {
  called,
  type RemoteSession,
  remoteSessionOf,
  type SessionOptions,
  withSessionOptions,
} from './remote.ts'

interface Options extends SessionOptions {
  forwardTo?: string
  filter: Record<string, string>
  format: string
  since?: number
  secret?: string
}

/** How long a receiver may take, as for a delivery. */
const TIMEOUT_MS = 15_000

export function addListen(program: Command, env: () => Environment): void {
  withSessionOptions(program.command('listen'))
    .description('show the events of a session as they come, and forward them to a receiver on this machine')
    .option('--forward-to <url>', 'address to which each event is posted, exactly as a webhook receives it')
    .option(
      '--filter <field=value...>',
      'filter as of GET /events/stream, for example types=Message',
      filterOf,
      {},
    )
    .option('--format <format>', 'format of the webhook, for example cloud-api', 'wamux')
    .option('--since <seq>', 'begin after this event; 0 for all that are stored', seqOf)
    .option('--secret <secret>', 'signs what is forwarded: whsec_ and base64; a new one by default')
    .addHelpText(
      'after',
      '\nThe receiver gets one request for each event: nothing is retried. It ends with Ctrl-C, and prints how to go on from there.',
    )
    .action(async (options: Options) => {
      const session = await remoteSessionOf(env(), options)
      await listen(session, options)
    })
}

async function listen(session: RemoteSession, options: Options): Promise<void> {
  const { forwardTo, filter, since } = options
  const secret = options.secret ?? `whsec_${randomBytes(24).toString('base64')}`
  const ended = new AbortController()
  process.once('SIGINT', () => ended.abort())
  process.once('SIGTERM', () => ended.abort())
  const { signal } = ended
  print(`Listening to ${session.name} at ${session.url}${forwardTo ? `, forwarding to ${forwardTo}` : ''}`)
  if (forwardTo && !options.secret) print(`Secret of the signatures: ${secret}`)
  let last = since
  const after = since === undefined ? {} : { after: since }
  await called(session.url, async () => {
    for await (const event of session.client.events({ ...after, filter, signal })) {
      const outcome = forwardTo ? await forward(session, event, { ...options, forwardTo, secret }) : ''
      print(lineOf(event, outcome))
      last = event.seq
    }
  })
  if (last !== undefined) print(`Go on after the last event with --since ${last}`)
}

async function forward(
  { client, url }: RemoteSession,
  { eventId }: GatewayEvent,
  { forwardTo, format, secret }: { forwardTo: string; format: string; secret: string },
): Promise<string> {
  const preview = { Id: eventId, Format: format, Secret: secret }
  const { Requests } = await called(url, () => client.post('/webhook/preview', preview))
  if (Requests.length === 0) return `no form in the format ${format}`
  const outcomes: string[] = []
  for (const { Headers, Body } of Requests) outcomes.push(await post(forwardTo, Headers, Body))
  return outcomes.join(', ')
}

async function post(url: string, headers: Record<string, string>, body: string): Promise<string> {
  const began = performance.now()
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: Buffer.from(body, 'base64'),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await answer.arrayBuffer()
    const ms = Math.round(performance.now() - began)
    return `${answer.ok ? '✓' : '✗'} ${answer.status} in ${ms} ms`
  } catch (error) {
    const cause = error instanceof Error && error.cause ? error.cause : error
    return `✗ ${reasonOf(cause)}`
  }
}

/** Time, type and id of an event, what a message says, and what became of it. */
function lineOf(event: GatewayEvent, outcome: string): string {
  const { type, eventId, timestamp } = event
  const message: { text?: string; type?: string } = 'message' in event ? event.message : {}
  const text = message.text ? `"${message.text.slice(0, 60).replaceAll(/\s+/g, ' ')}"` : message.type
  const time = new Date(timestamp ?? Date.now()).toTimeString().slice(0, 8)
  return [time, type, text, eventId, outcome && `→ ${outcome}`].filter(Boolean).join('  ')
}

function filterOf(text: string, before: Record<string, string>): Record<string, string> {
  const [, name, value] = /^(\w+)=(.*)$/.exec(text) ?? []
  if (!name) throw new InvalidArgumentError('It must be field=value.')
  return { ...before, [name]: value ?? '' }
}

function seqOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be the seq of an event.')
  return Number(text)
}
