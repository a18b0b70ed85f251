import type { Command } from 'commander'
import { type Client, WamuxError } from '../../../plugins/docs/clients/typescript/index.ts'
import type { Environment } from '../../environment.ts'
import { commandFailed } from '../../errors.ts'
import { print } from '../print.ts'
import {
  called,
  type Remote,
  type RemoteSession,
  remoteOf,
  remoteSessionOf,
  type SessionOptions,
  sessionAt,
  withSessionOptions,
} from './remote.ts'
import { TRIGGERS, type TriggerStage } from './triggers.ts'

interface Options extends SessionOptions {
  from?: string
  endpoint?: string
  list?: boolean
}

export function addTrigger(program: Command, env: () => Environment): void {
  withSessionOptions(program.command('trigger [event]'))
    .description(
      'cause an event, for example message.text: a phone of the sandbox acts; elsewhere one webhook gets a made event',
    )
    .option('--from <number>', 'number of the phone that acts; by default the first other one')
    .option('--endpoint <id>', 'the webhook that gets a made event, in a sandbox too; by default main')
    .option('--list', 'list the events')
    .action(async (event: string | undefined, options: Options) => {
      if (options.list || !event) return print(...listOf())
      const trigger = TRIGGERS[event]
      if (!trigger) throw commandFailed(`there is no trigger "${event}"; --list shows them`)
      if (options.endpoint || options.token)
        return makeEvent(await remoteSessionOf(env(), options), event, options)
      const admin = await remoteOf(env(), options.url)
      const session = await sessionAt(admin, options.session)
      const phones = await called(admin.url, () => phonesOf(admin.client))
      if (!phones) return makeEvent(session, event, options)
      const stage = stageOf(admin, session, phones, options.from)
      await called(admin.url, () => trigger.run(stage))
      print(`${trigger.summary}: ${session.name} gets the event ${trigger.event}`)
    })
}

/** The event did not happen: one webhook gets it, once. */
async function makeEvent(
  { client, url, name }: RemoteSession,
  event: string,
  { endpoint, from }: Options,
): Promise<void> {
  if (from) throw commandFailed('--from names a phone of the sandbox: a made event has none')
  const body = { Event: event, ...(endpoint && endpoint !== 'main' ? { Endpoint: endpoint } : {}) }
  const tested = await called(url, () => client.post('/webhook/test', body))
  const { Delivered, Details, Milliseconds, Answer } = tested
  const answer = Delivered || !Answer ? '' : `: ${Answer.slice(0, 200).replaceAll(/\s+/g, ' ')}`
  const outcome = `${Delivered ? '✓' : '✗'} ${Details} in ${Milliseconds} ms${answer}`
  print(`${event} → ${endpoint ?? 'main'} of ${name}, marked "test": true  ${outcome}`)
  if (!Delivered) process.exitCode = 1
}

function stageOf(
  { client }: Remote,
  { name, phone }: RemoteSession,
  phones: readonly string[],
  from: string | undefined,
): TriggerStage {
  if (!phone || !phones.includes(phone))
    throw commandFailed(`the session "${name}" is not linked to a phone of the sandbox`)
  const other = from ?? phones.find((one) => one !== phone)
  if (!other || other === phone || !phones.includes(other))
    throw commandFailed(`there is no other phone ${from ?? ''}; there are ${phones.join(', ')}`)
  const act = (actor: string) => (action: object) =>
    client.call<Record<string, unknown>>('post', `/sandbox/phones/${actor}/actions`, action)
  return {
    own: phone,
    other,
    async send(Message, to = phone) {
      const sent = { To: to, Message }
      return (await client.call<{ Id: string }>('post', `/sandbox/phones/${other}/messages`, sent)).Id
    },
    act: act(other),
    actOwn: act(phone),
  }
}

/** Undefined if the gateway has no sandbox. */
async function phonesOf(client: Client): Promise<string[] | undefined> {
  try {
    const { Phones } = await client.call<{ Phones: { Phone: string }[] }>('get', '/sandbox/phones')
    return Phones.map(({ Phone }) => Phone)
  } catch (error) {
    if (error instanceof WamuxError && error.code === 404) return undefined
    throw error
  }
}

function listOf(): string[] {
  const width = Math.max(...Object.keys(TRIGGERS).map((name) => name.length))
  return Object.entries(TRIGGERS).map(
    ([name, { summary, event }]) => `${name.padEnd(width)}  ${summary} (${event})`,
  )
}
