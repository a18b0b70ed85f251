import type { Client, CreateClient, NetworkAddress, Request, Response } from '../protocol.ts'
import { resolveMediaName } from './media-name.ts'
import { NotOffered } from './not-offered.ts'

/**
 * Runs the clients of one library in a process of their own: `process.ts <library> <url> <media host> <root key in base64>`.
 * Requests and responses are messages of the process channel.
 */
const LIBRARIES: Readonly<Record<string, () => Promise<CreateClient>>> = {
  'whatsapp-rust': async () => (await import('./whatsapp-rust.ts')).createWhatsAppRust,
  'zapo-js': async () => (await import('./zapo.ts')).createZapo,
  'baileys-6': async () => (await import('./baileys.ts')).loadBaileys('baileys-6'),
  'baileys-7': async () => (await import('./baileys.ts')).loadBaileys('baileys-7'),
}

const [library = '', url = '', mediaHost = '', rootKey = ''] = process.argv.slice(2)
const network: NetworkAddress = { url, rootKey: Buffer.from(rootKey, 'base64') }
resolveMediaName(mediaHost)
const create = await LIBRARIES[library]?.()
if (!create) throw new Error(`unknown library ${library}`)

const clients = new Map<string, Client>()

function clientOf(instance: string): Client {
  const client = clients.get(instance) ?? create?.(network, (event) => send({ instance, event }))
  if (!client) throw new Error(`no client ${instance}`)
  clients.set(instance, client)
  return client
}

async function answer({ id, instance, method, args }: Request): Promise<void> {
  try {
    const run: (...given: never[]) => Promise<unknown> = clientOf(instance)[method]
    send({ id, value: await Reflect.apply(run, undefined, args) })
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    process.stderr.write(`${stack}\n`)
    send({ id, error: message, isNotOffered: error instanceof NotOffered })
  }
}

function send(response: Response): void {
  process.send?.(response)
}

process.on('message', (request: Request) => void answer(request))
process.on('disconnect', () => process.exit())
// A library's own fault must not end the other clients; it is in the log of the area that fails for it.
process.on('unhandledRejection', (error) => process.stderr.write(`unhandled: ${String(error)}\n`))
