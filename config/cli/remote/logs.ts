import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Client } from '../../../plugins/docs/clients/typescript/index.ts'
import type { Environment } from '../../environment.ts'
import { print } from '../print.ts'
import { called, remoteSessionOf, type SessionOptions, withSessionOptions } from './remote.ts'

interface Options extends SessionOptions {
  follow?: boolean
  route?: string
  code?: string
  request?: string
}

type Logged = Awaited<ReturnType<typeof requestsOf>>[number]

/** How often `--follow` asks for more. */
const POLL_MS = 1_000

export function addLogs(program: Command, env: () => Environment): void {
  withSessionOptions(program.command('logs'))
    .description('show the requests of a session that failed, with their error codes and request ids')
    .option('-f, --follow', 'go on with the requests that come, until Ctrl-C')
    .option('--route <route>', 'only requests of this route, for example /send/text')
    .option('--code <code>', 'only requests with this error code')
    .option('--request <id>', 'only the request with this X-Request-Id')
    .addHelpText(
      'after',
      '\nThe plugin request-log keeps them. Its setting keep: all adds the requests that succeeded, keep: changes those that change something.',
    )
    .action(async ({ follow, route, code, request, ...options }: Options) => {
      const { client, url } = await remoteSessionOf(env(), options)
      const filter = {
        ...(route ? { path: route } : {}),
        ...(code ? { code } : {}),
        ...(request ? { request } : {}),
      }
      await called(url, async () => {
        let shown = show(await requestsOf(client, filter), new Set())
        while (follow) {
          await pause(POLL_MS)
          shown = show(await requestsOf(client, filter), shown)
        }
      })
    })
}

async function requestsOf(client: Client, filter: object) {
  return (await client.get('/session/requests', { limit: '200', ...filter })).Requests
}

/** Shows those whose ids are not in `shown`, oldest first. @returns the ids of this page. */
function show(requests: Logged[], shown: ReadonlySet<string>): Set<string> {
  const fresh = requests.filter((request) => !shown.has(request.Id))
  for (const request of fresh.reverse()) print(lineOf(request))
  return new Set(requests.map(({ Id }) => Id))
}

function lineOf({ At, Method, Path, Status, ErrorCode, Ms, Id, Actor }: Logged): string {
  const mark = ErrorCode ? '✗' : '✓'
  const outcome = [`${mark} ${Status}`, ErrorCode, `in ${Ms} ms`].filter(Boolean).join(' ')
  return [At.slice(0, 19).replace('T', ' '), `${Method} ${Path}`, outcome, Actor, Id].join('  ')
}
