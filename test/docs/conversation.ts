import { execFile } from 'node:child_process'
import type { TestGateway } from '@wamux/sandbox/testing'
import type { Block } from './blocks.ts'
import { isAssignment, linesOf } from './shell.ts'

/** curl, and on the side what each call answered. */
const CURL = `curl() { command curl -w '%{stderr}%{http_code} %{url_effective}\\n' "$@"; }`

/**
 * Runs a block of curl calls line by line, as somebody types it in `folder`, against the gateway instead of
 * localhost:8080; its phones do what their owners would. Answers what the calls answered, `200 http://…`.
 */
export async function converse(block: Block, gateway: TestGateway, folder: string): Promise<string[]> {
  const here = block.text.replaceAll('localhost:8080', new URL(gateway.url).host)
  const numbers = new Set(here.match(/\b\d{11,13}\b/g))
  for (const number of numbers) {
    const isMadeByBlock = here.includes(`/sandbox/phones -`) && here.includes(`"Phone":"${number}","Name"`)
    if (!isMadeByBlock) await gateway.phone({ number })
  }
  const variables: string[] = []
  const calls: string[] = []
  for (const line of linesOf(here)) {
    if (isAssignment(line)) {
      variables.push(line)
      continue
    }
    const { stdout, stderr } = await bash([CURL, ...variables, line].join('\n'), folder)
    calls.push(...stderr.trim().split('\n'))
    const [, code] = /"LinkingCode":"([^"]+)"/.exec(stdout) ?? []
    const [, number = ''] = /"Phone":"(\d+)"/.exec(line) ?? []
    if (code) await pair(gateway, number, code, /token: ([^'"]+)/.exec(line)?.[1] ?? '')
  }
  return calls
}

/** Types the code into the phone, and waits until the session is logged in. */
async function pair(gateway: TestGateway, number: string, Code: string, token: string): Promise<void> {
  const typed = await gateway.post(`/sandbox/phones/${number}/pair`, { Code }, gateway.admin)
  if (!typed.success) throw new Error(`pairing: ${typed.error}`)
  const limit = Date.now() + 10_000
  while ((await gateway.get('/session/status', { token })).data.LoggedIn !== true) {
    if (Date.now() > limit) throw new Error('the pairing code linked nothing')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export function bash(text: string, cwd: string): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', `set -euo pipefail\n${text}`], { cwd }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${text}\n${stdout}${stderr}`, { cause: error }))
      else resolve({ stdout, stderr })
    })
  })
}
