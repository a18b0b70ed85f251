import { gatewayError } from './errors.ts'

/** Rejects PLUGIN_TIMEOUT when a plugin's step takes longer; what it had begun goes on unseen. */
export async function within<T>(
  work: Promise<T>,
  seconds: number,
  of: [name: string, step: string],
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(gatewayError('PLUGIN_TIMEOUT', [...of, seconds])), seconds * 1000)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
