import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Maximum length of a program's output. */
const MAX_PRINTED = 1024 * 1024

const start = promisify(execFile)

/**
 * Runs a program, without a shell, in a temporary folder that holds `input` as the file `in`. Resolves to its output,
 * and the file `result` if it wrote one; the folder is deleted afterwards. Rejects with the last line of the program's
 * error output.
 */
export async function run(
  program: string,
  args: readonly string[],
  input: Buffer,
  timeoutMs: number,
  result = 'out',
): Promise<{ printed: string; out: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'wamux-media-'))
  try {
    await writeFile(join(folder, 'in'), input, { mode: 0o600 })
    const { stdout } = await start(program, args, {
      cwd: folder,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_PRINTED,
    })
    return { printed: stdout, out: await readFile(join(folder, result)).catch(() => Buffer.alloc(0)) }
  } catch (cause) {
    throw new Error(lastWords(cause as Failure, timeoutMs), { cause })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Whether the program is installed and runs. */
export async function isProgram(program: string, version = '-version'): Promise<boolean> {
  return start(program, [version], { timeout: 10_000 }).then(
    () => true,
    () => false,
  )
}

interface Failure {
  killed?: boolean
  stderr?: string
  message: string
}

function lastWords({ killed, stderr = '', message }: Failure, timeoutMs: number): string {
  if (killed) return `it took longer than ${timeoutMs} ms`
  return stderr.trim().split('\n').at(-1) || message
}
