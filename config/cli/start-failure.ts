import { resolve } from 'node:path'
import { commandFailed, isGatewayError, reasonOf } from '../errors.ts'
import type { Config } from '../schema.ts'
import type { Finding } from './doctor/finding.ts'
import { checkFiles, checkPort } from './doctor/host.ts'

const ANOTHER_FOLDER = 'give the user of the gateway another folder with WAMUX_DATA_DIR'

/** The error that ends a start: worded by `doctor` if the port or the data folder is at fault. */
export async function startFailure(error: unknown, config: Config): Promise<unknown> {
  const { syscall, path = '' } = systemErrorOf(error)
  if (syscall === 'listen') return failed(error, await checkPort(config), 'stop it, or set WAMUX_PORT')
  if (!syscall || !resolve(path).startsWith(resolve(config.dataDir))) return error
  const finding = (await checkFiles(config.dataDir)).find(({ state }) => state === 'fail')
  // A full disk, for example, is already described.
  if (!finding && isGatewayError(error)) return error
  return failed(error, finding, ANOTHER_FOLDER)
}

function systemErrorOf(error: unknown): Partial<NodeJS.ErrnoException> {
  return ((isGatewayError(error) ? error.cause : error) ?? {}) as Partial<NodeJS.ErrnoException>
}

function failed(cause: unknown, finding: Finding | undefined, otherwise: string): Error {
  // There was nothing to check.
  const { found, advice = otherwise } =
    finding && finding.state !== 'skip' ? finding : { found: reasonOf(cause) }
  return commandFailed(`${found}; ${advice}`, cause)
}
