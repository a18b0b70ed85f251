import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** What a job may use, all of its programs together. */
export interface Limits {
  /** Milliseconds that are left. */
  timeLeft(): number
  /** Of a file that a program writes. */
  readonly maxBytes: number
}

/** Maximum length of a program's output. */
const MAX_PRINTED = 1024 * 1024
/** Address space in KiB. ffmpeg with its libraries has half of it before it does anything. */
const MAX_MEMORY_KB = 1024 * 1024
/** `ulimit -f` counts blocks of 512 bytes, in some shells of 1,024. */
const BLOCK = 512
/** The first two arguments are the limits; what the system does not limit, it ignores. */
const LIMITED = 'ulimit -v "$0" 2>/dev/null; ulimit -f "$1" 2>/dev/null; shift; exec "$@"'

const start = promisify(execFile)

/**
 * Runs a program in a folder that holds `input` as the file `in`. Resolves to its output, and the file `result` if it wrote one;
 * the folder is deleted afterwards. Rejects with the last line of the program's error output.
 */
export async function run(
  program: string,
  args: readonly string[],
  input: Buffer,
  { timeLeft, maxBytes }: Limits,
  result = 'out',
): Promise<{ printed: string; out: Buffer }> {
  const timeout = timeLeft()
  if (timeout <= 0) throw new Error(TOO_LONG)
  // The folder of this process, which the gateway deletes when it ends.
  const folder = await mkdtemp(join(process.cwd(), 'job-'))
  const [command, ...rest] = limited([program, ...args], maxBytes)
  try {
    await writeFile(join(folder, 'in'), input, { mode: 0o600 })
    const { stdout } = await start(command, rest, {
      cwd: folder,
      timeout,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_PRINTED,
    })
    return { printed: stdout, out: await fileOf(join(folder, result), maxBytes) }
  } catch (cause) {
    throw new Error(lastWords(cause as Failure), { cause })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const found = new Map<string, boolean>()

/** Whether the program is installed and runs; checked once. */
export async function isProgram(program: string, version = '-version'): Promise<boolean> {
  const isThere =
    found.get(program) ??
    (await start(program, [version], { timeout: 10_000 }).then(
      () => true,
      () => false,
    ))
  found.set(program, isThere)
  return isThere
}

const TOO_LONG = 'it takes too long: use a smaller file, or raise WAMUX_MEDIA_CONVERT_TIMEOUT_MS'

/** The arguments do not pass through the shell's parser. Windows has no such limits. */
function limited(command: readonly string[], maxBytes: number): [string, ...string[]] {
  const [program = '', ...args] = command
  if (process.platform === 'win32') return [program, ...args]
  return ['/bin/sh', '-c', LIMITED, String(MAX_MEMORY_KB), String(Math.ceil(maxBytes / BLOCK)), ...command]
}

async function fileOf(path: string, maxBytes: number): Promise<Buffer> {
  const { size } = await stat(path).catch(() => ({ size: 0 }))
  if (size > maxBytes) throw new Error(`the result has more than ${maxBytes} bytes`)
  return size === 0 ? Buffer.alloc(0) : readFile(path)
}

interface Failure {
  killed?: boolean
  stderr?: string
  message: string
}

function lastWords({ killed, stderr = '', message }: Failure): string {
  if (killed) return TOO_LONG
  return stderr.trim().split('\n').at(-1) || message
}
