import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { type Client, WamuxError } from '../../../plugins/docs/clients/typescript/index.ts'
import type { Environment } from '../../environment.ts'
import { linesOf, print } from '../print.ts'
import { called, remoteSessionOf, type SessionOptions, TOKEN_OPTION, URL_OPTION } from './remote.ts'

/** How often it is seen whether the code has changed or was scanned. */
const POLL_MS = 1_000

export function addQr(program: Command, env: () => Environment): void {
  program
    .command('qr [session]')
    .description('draw the QR code that links a session, until it is scanned')
    .option(...TOKEN_OPTION)
    .option(...URL_OPTION)
    .action(async (session: string | undefined, options: SessionOptions) => {
      const { client, url, name } = await remoteSessionOf(env(), {
        ...options,
        ...(session ? { session } : {}),
      })
      await called(url, async () => {
        await client.post('/session/connect', { Immediate: false })
        let drawn = ''
        for (;;) {
          const { LoggedIn, Jid } = await client.get('/session/status')
          if (LoggedIn) return print(`${name} is linked to ${Jid}`)
          const code = await codeOf(client)
          if (code && code !== drawn)
            print(...linesOf(code), 'Scan it with WhatsApp: linked devices, link a device')
          drawn = code
          await pause(POLL_MS)
        }
      })
    })
}

/** '' if it was scanned in the meantime. */
async function codeOf(client: Client): Promise<string> {
  try {
    return await client.call<string>('get', '/session/qr', { format: 'text' })
  } catch (error) {
    if (error instanceof WamuxError && error.errorCode === 'ALREADY_LOGGED_IN') return ''
    throw error
  }
}
