import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  type CallToolResult,
  ElicitRequestSchema,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js'
import { mainOf } from '../../support/process.ts'

/** A person at the client, who is asked for confirmations; a client without one can't ask. */
export interface Person {
  answer: ElicitResult['action']
  /** What the person has been asked. */
  readonly asked: string[]
  /** Waits in front of the answer. */
  thinks?(): Promise<unknown>
}

export const person = (answer: ElicitResult['action']): Person => ({ answer, asked: [] })

export interface Called {
  readonly isError: boolean
  readonly text: string
}

/** Real clients of the official SDK, on both transports. */
export interface Clients {
  overHttp(token: string, person?: Person): Promise<Client>
  overStdio(token: string, args?: readonly string[], person?: Person): Promise<Client>
  close(): Promise<unknown>
}

export function clientsOf(url: () => string): Clients {
  const clients: Client[] = []
  const newClient = (person?: Person): Client => {
    const capabilities = person ? { elicitation: {} } : {}
    const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities })
    if (person)
      client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
        person.asked.push(params.message)
        await person.thinks?.()
        return { action: person.answer, ...(person.answer === 'accept' ? { content: {} } : {}) }
      })
    clients.push(client)
    return client
  }
  return {
    async overHttp(token, person) {
      const client = newClient(person)
      const requestInit = { headers: { authorization: `Bearer ${token}` } }
      const transport = new StreamableHTTPClientTransport(new URL('/mcp', url()), { requestInit })
      // Its type allows an id of a session to be undefined, which exactOptionalPropertyTypes does not.
      await client.connect(transport as Parameters<Client['connect']>[0])
      return client
    },
    async overStdio(token, args = [], person) {
      const client = newClient(person)
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [...mainOf(), 'mcp', '--url', url(), '--token', token, ...args],
        }),
      )
      return client
    },
    close: () => Promise.all(clients.map((client) => client.close())),
  }
}

export async function call(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Called> {
  const { isError, content } = (await client.callTool({ name, arguments: args })) as CallToolResult
  const [first] = content
  return { isError: isError ?? false, text: first?.type === 'text' ? first.text : '' }
}
