import type { Command } from 'commander'
import { gatewayError } from '../../../kernel/errors.ts'
import { type Client, WamuxError } from '../../client/index.ts'
import type { Environment } from '../../environment.ts'
import {
  called,
  type Remote,
  type RemoteSession,
  remoteOf,
  type SessionOptions,
  sessionAt,
  URL_OPTION,
} from './remote.ts'
import { type Stage, TRIGGERS } from './triggers.ts'

interface Options extends Pick<SessionOptions, 'url' | 'session'> {
  from?: string
  list?: boolean
}

export function addTrigger(program: Command, env: () => Environment): void {
  program
    .command('trigger [event]')
    .description('make a phone of the sandbox do what leads to an event, for example message.text')
    .option('--session <session>', 'id or name of the session that receives it; by default the only one')
    .option('--from <number>', 'number of the phone that acts; by default the first other one')
    .option(...URL_OPTION)
    .option('--list', 'list the events')
    .action(async (event: string | undefined, options: Options) => {
      if (options.list || !event) return void process.stdout.write(listOf())
      const trigger = TRIGGERS[event]
      if (!trigger)
        throw gatewayError('COMMAND_FAILED', [`there is no trigger "${event}"; --list shows them`])
      const admin = await remoteOf(env(), options.url)
      const session = await sessionAt(admin, options.session)
      const stage = await stageOf(admin, session, options.from)
      await called(admin.url, () => trigger.run(stage))
      process.stdout.write(`${trigger.summary}: ${session.name} gets the event ${trigger.event}\n`)
    })
}

async function stageOf(
  { url, client }: Remote,
  { name, phone }: RemoteSession,
  from: string | undefined,
): Promise<Stage> {
  const phones = await called(url, () => phonesOf(client))
  if (!phones)
    throw gatewayError('COMMAND_FAILED', [`${url} is no sandbox: phones act on the local network alone`])
  if (!phone || !phones.includes(phone))
    throw gatewayError('COMMAND_FAILED', [`the session "${name}" is not linked to a phone of the sandbox`])
  const other = from ?? phones.find((one) => one !== phone)
  if (!other || other === phone || !phones.includes(other))
    throw gatewayError('COMMAND_FAILED', [
      `there is no other phone ${from ?? ''}; there are ${phones.join(', ')}`,
    ])
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

function listOf(): string {
  const width = Math.max(...Object.keys(TRIGGERS).map((name) => name.length))
  return Object.entries(TRIGGERS)
    .map(([name, { summary, event }]) => `${name.padEnd(width)}  ${summary} (${event})\n`)
    .join('')
}
