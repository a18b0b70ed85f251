import { existsSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { reasonOf } from '../../../kernel/errors.ts'
import type { Gateway } from '../../../kernel/gateway.ts'
import type { GatewayServices } from '../../../kernel/plugin.ts'
import { addressOf } from '../address.ts'
import { linesOf, print, printError } from '../print.ts'

type Seeded = NonNullable<Awaited<ReturnType<GatewayServices['sandbox']['seed']>>>

interface Place {
  dataDir: string
  adminToken: string
}

/** Fills the network of `wamux sandbox`, then prints things to try. Also prints a failure. */
export async function printSeed(gateway: Gateway, place: Place): Promise<void> {
  try {
    const seeded = await gateway.service('sandbox').seed()
    if (seeded) print(...linesOf(textOf(seeded, addressOf(gateway), place)))
  } catch (error) {
    printError(`The network could not be filled: ${reasonOf(error)}`)
  }
}

/** The printed text; writes the files that it names. */
function textOf({ name, token, shop, ana }: Seeded, url: string, { dataDir, adminToken }: Place): string {
  const tokenFile = join(dataDir, `${name}-token`)
  const environment = join(dataDir, 'postman-environment.json')
  writeSecret(tokenFile, `${token}\n`)
  writeSecret(environment, postmanEnvironment({ baseUrl: url, token, admintoken: adminToken }))
  const adminFile = join(dataDir, 'admin-token')
  const ofAdmin = existsSync(adminFile) ? `, and the admin token in ${near(adminFile)}` : ''
  const { phone } = ana.account
  return `
Session "${name}" is linked to the phone of ${nameOf(shop)}; ${nameOf(ana)} has written to it.
  send a text:     curl -s ${url}/send/text -H "token: $(cat ${near(tokenFile)})" -d '{"Phone":"${phone}","Body":"Hello!"}'
  every endpoint:  ${url}/docs, with the token in ${near(tokenFile)}${ofAdmin}
  Postman:         import ${url}/docs/postman.json and ${near(environment)}

`
}

function nameOf({ account: { name, phone } }: Seeded['ana']): string {
  return `${name} (${phone})`
}

/** An environment that Postman imports. */
function postmanEnvironment(variables: Record<string, string>): string {
  const values = Object.entries(variables).map(([key, value]) => ({
    key,
    value,
    type: key === 'baseUrl' ? 'default' : 'secret',
    enabled: true,
  }))
  const environment = { name: 'wamux sandbox', values, _postman_variable_scope: 'environment' }
  return `${JSON.stringify(environment, null, 2)}\n`
}

function writeSecret(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 })
}

/** The path as typed in the current folder. */
function near(file: string): string {
  const path = relative('', file)
  return path.startsWith('..') ? file : path
}
