/**
 * Settles like `work`, or after `ms` milliseconds like `onTimeout`, which throws or returns a substitute for the result. The
 * work is not cancelled; its late result or error is ignored.
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
