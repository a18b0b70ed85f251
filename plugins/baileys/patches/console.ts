/**
 * Lines of libsignal (session_record.js, session_cipher.js, session_builder.js, queue_job.js) that may contain sessions and
 * private keys.
 */
const LEAKS = [
  'Closing session:',
  'Removing old closed session:',
  'Session already closed',
  'Session already open',
  'Opening session:',
  'Migrating session to:',
  'V1 session storage migration error:',
  'Closing open session in favor of incoming prekey bundle',
  'Failed to decrypt message with any known session',
  'Session error:',
  'Decrypted message with closed session',
  'Invalid prekey',
  'WARNING: Expected pubkey of length 33',
]

let isQuiet = false

/**
 * Keeps key material off the console: drops the lines that libsignal writes there, and no others. libsignal has no option
 * to disable them, and they bypass every logger.
 */
export function patchConsole(): void {
  if (isQuiet) return
  isQuiet = true
  for (const level of ['log', 'info', 'warn', 'error'] as const) {
    // biome-ignore lint/suspicious/noConsole: the one place that wraps it
    const write = console[level].bind(console)
    console[level] = (...parts: unknown[]) => {
      const [first] = parts
      if (typeof first === 'string' && LEAKS.some((leak) => first.startsWith(leak))) return
      write(...parts)
    }
  }
}

export function verifyConsole(): boolean {
  return isQuiet
}
