/**
 * Resolves or rejects as `work` does, or, after `ms` milliseconds, as `onTimeout` does: it throws, or returns a value
 * in place of the result. The work is not cancelled; its late result or error is ignored.
 */
export async function withTimeout<T, L = never>(
  work: Promise<T>,
  ms: number,
  onTimeout: () => L,
): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<L>((resolve, reject) => {
    timer = setTimeout(() => {
      try {
        resolve(onTimeout())
      } catch (error) {
        reject(error)
      }
    }, ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
